/**
 * Reads a socket without the stream machinery and without an allocation per read. All connections read into one shared
 * buffer, which is consumed before the next read; a connection with a tap that keeps payload (a recorder, a viewer) reads
 * into separate buffers until its messages are complete. Measured in docs/decisions/0012-one-read-buffer.md.
 */
import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { PayloadBuffers } from '../../bytes/payload-buffers.js';
import { type Left, PacedRead, type PacedSource, type ReadHandle, type ReadPace } from './read-pace.js';

/** A TLS record holds at most 16 KB; a plain socket delivers more per read. */
const BUFFER_BYTES = 64 * 1024;
/** Minimum size of the first own buffer: most connections that start to keep payload soon stop again. */
const FIRST_OWN_BYTES = 16 * 1024;
/** Most bytes that one read of a turn takes from the kernel: 100 ms of 10 Mbit/s. */
const TURN_BYTES = 128 * 1024;
/** Encrypted bytes that OpenSSL is given at a time: its buffers grow with them, and each connection has its own. */
const RECEIVE_BYTES = 16 * 1024;
/** A remainder smaller than this at the end of a buffer stays unused. */
const LEAST_ROOM_BYTES = 512;

/** The buffer that all connections share; not a `Buffer`, of which Node makes views much more slowly. */
const shared = new Uint8Array(BUFFER_BYTES);
/** Encrypted bytes of the connection whose turn it is. */
const encrypted = new Uint8Array(TURN_BYTES);

export interface ByteConsumer {
  /** Bytes that `read` got so far. */
  readonly bytesReceived: number;
  /** Bytes read from now on must not be overwritten until the messages in their buffer are complete. */
  readonly keepsPayload: boolean;
  /** `bytes[from, to)` has arrived. Does not throw. */
  read(bytes: Uint8Array, from: number, to: number): void;
  /** No more will be read into this buffer. Does not throw. */
  seal(bytes: Uint8Array): void;
  /** The buffer will be overwritten: references to it must be dropped or copied. Does not throw. */
  detach(bytes: Uint8Array): void;
  /** Whether part of an incomplete message is in this buffer. */
  refersTo(bytes: Uint8Array): boolean;
}

/** How a socket is read: as it arrives at first. */
export interface Reading {
  /** Bytes that may wait in the kernel because the connection is read at intervals; 0 while it is read as it arrives. */
  readonly restingBytes: number;
  /** Reads at the intervals of `pace`; without effect where this version of Node has no buffers to read into. */
  readAtIntervals(pace: ReadPace): void;
  readAsItArrives(): void;
}

/** Passes every byte from now on to `consumer`; end, error and close remain events of the stream. */
export function readSocket(socket: Socket, consumer: ByteConsumer, buffers: PayloadBuffers): Reading {
  // Bytes that arrived together with a PROXY header or the end of the TLS handshake.
  for (let early: unknown = socket.read(); early instanceof Uint8Array; early = socket.read())
    consumeWhole(consumer, early);
  const reading = readIntoBuffers(socket, consumer, buffers) ?? readThroughStream(socket, consumer);
  socket.resume();
  return reading;
}

function consumeWhole(consumer: ByteConsumer, bytes: Uint8Array): void {
  consumer.read(bytes, 0, bytes.length);
  consumer.seal(bytes);
}

/**
 * Reads through the mechanism of the `onread` option of net.connect, which Node offers for outgoing sockets only. Changes
 * nothing and returns undefined if this version of Node lacks it.
 */
export function readIntoBuffers(socket: Socket, consumer: ByteConsumer, buffers: PayloadBuffers): Reading | undefined {
  const symbols = new Map(Object.getOwnPropertySymbols(socket).map((symbol) => [symbol.description, symbol]));
  const buffer = symbols.get('kBuffer');
  const callback = symbols.get('kBufferCb');
  const generator = symbols.get('kBufferGen');
  const handle: unknown = Reflect.get(socket, '_handle');
  if (buffer === undefined || callback === undefined || generator === undefined || !takesBuffers(handle))
    return undefined;
  // Node asks the generator after each read for the buffer of the next one; none: the same as before.
  const setGenerator = (next: NextBuffer | null) => Reflect.set(socket, generator, next);
  const setBuffer = (next: Uint8Array) => {
    handle.useUserBuffer(next);
    Reflect.set(socket, buffer, next);
  };
  const reader = new BufferedReader(socket, handle, consumer, buffers, { setGenerator, setBuffer });
  setBuffer(shared);
  Reflect.set(socket, callback, (size: number, bytes: Uint8Array) => reader.takeRead(size, bytes));
  setGenerator(null);
  return reader;
}

/** Fallback for a version of Node that cannot read into given buffers; none that is supported. Node allocates a buffer per read. */
export function readThroughStream(socket: Socket, consumer: ByteConsumer): Reading {
  socket.on('data', (chunk: Buffer) => {
    consumer.read(chunk, 0, chunk.length);
    if (consumer.keepsPayload) consumer.seal(chunk);
    else consumer.detach(chunk);
  });
  return { restingBytes: 0, readAtIntervals: () => undefined, readAsItArrives: () => undefined };
}

interface BufferedHandle extends ReadHandle {
  /** File descriptor of the socket, also beneath TLS. */
  readonly fd: number;
  useUserBuffer(buffer: Uint8Array): void;
  /** With TLS: takes bytes as if they had come from the socket. */
  receive?(bytes: Uint8Array): void;
}

function takesBuffers(handle: unknown): handle is BufferedHandle {
  if (typeof handle !== 'object' || handle === null) return false;
  return ['useUserBuffer', 'readStart', 'readStop'].every((name) => typeof Reflect.get(handle, name) === 'function');
}

/** Undefined: the next read is into the same buffer. */
type NextBuffer = () => Uint8Array | undefined;

/** Where Node's own reads go. */
interface ReadTarget {
  setGenerator(next: NextBuffer | null): void;
  setBuffer(next: Uint8Array): void;
}

function leftAfter(size: number, asked: number): Left {
  if (size === 0) return 'end';
  return size === asked ? 'more' : 'nothing';
}

class BufferedReader implements Reading, PacedSource {
  readonly #socket: Socket;
  readonly #handle: BufferedHandle;
  readonly #consumer: ByteConsumer;
  readonly #buffers: PayloadBuffers;
  readonly #target: ReadTarget;
  /** Separate buffer while payload is kept, and the number of its bytes in use. */
  #own: Uint8Array | undefined;
  #used = 0;
  /** Full buffers that an incomplete message may still refer to. */
  readonly #full: Uint8Array[] = [];
  /** Target of the next read, if it differs from the last one. */
  #next: Uint8Array | undefined;

  /** False for TLS where this version of Node takes no encrypted bytes from us. */
  readonly #readsInTurns: boolean;
  #paced: PacedRead | undefined;
  #pace: ReadPace | undefined;

  constructor(
    socket: Socket,
    handle: BufferedHandle,
    consumer: ByteConsumer,
    buffers: PayloadBuffers,
    target: ReadTarget,
  ) {
    this.#socket = socket;
    this.#handle = handle;
    this.#consumer = consumer;
    this.#buffers = buffers;
    this.#target = target;
    this.#readsInTurns = !(socket instanceof TLSSocket) || handle.receive !== undefined;
  }

  get restingBytes(): number {
    return this.#paced?.lastBytes ?? 0;
  }

  readAtIntervals(pace: ReadPace): void {
    if (this.#paced !== undefined || !this.#readsInTurns) return;
    this.#pace = pace;
    this.#paced = new PacedRead(this);
    pace.join(this.#paced);
  }

  readAsItArrives(): void {
    if (this.#paced !== undefined) this.#pace?.leave(this.#paced);
    this.#paced = undefined;
  }

  get received(): number {
    return this.#consumer.bytesReceived;
  }

  get handle(): BufferedHandle | undefined {
    return Reflect.get(this.#socket, '_handle') === this.#handle ? this.#handle : undefined;
  }

  readNow(): Left {
    try {
      return this.#handle.receive === undefined ? this.#readPlain() : this.#readEncrypted();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 'nothing';
      this.#socket.destroy(error as Error);
      return 'end';
    }
  }

  #readEncrypted(): Left {
    const size = readSync(this.#handle.fd, encrypted, 0, TURN_BYTES, null);
    for (let at = 0; at < size; at += RECEIVE_BYTES)
      this.#handle.receive?.(encrypted.subarray(at, Math.min(size, at + RECEIVE_BYTES)));
    return leftAfter(size, TURN_BYTES);
  }

  /** Reads into the buffer of Node's next read. */
  #readPlain(): Left {
    const target = this.#own?.subarray(this.#used) ?? shared;
    const size = readSync(this.#handle.fd, target, 0, target.length, null);
    if (size === 0) return 'end';
    this.takeRead(size, target);
    const next = this.#takeNext();
    if (next !== undefined && this.handle !== undefined) this.#target.setBuffer(next);
    return leftAfter(size, target.length);
  }

  /** Called by Node after each read, while there are buffers of this connection's own. */
  readonly #takeNext: NextBuffer = () => {
    const next = this.#next;
    this.#next = undefined;
    if (next === shared) this.#target.setGenerator(null);
    return next;
  };

  /** `size` bytes are at the start of `bytes`. True continues reading. */
  takeRead(size: number, bytes: Uint8Array): boolean {
    const consumer = this.#consumer;
    if (this.#own !== undefined) {
      this.#readOwn(this.#own, size);
    } else if (consumer.keepsPayload) {
      this.#moveOut(bytes, size);
    } else {
      consumer.read(bytes, 0, size);
      consumer.detach(bytes);
      // Messages that started while payload was kept may be complete now.
      if (this.#full.length > 0) this.#releaseFull();
    }
    return true;
  }

  /** Payload is kept since the last read: copies these bytes; later reads go to the new buffer directly. */
  #moveOut(bytes: Uint8Array, size: number): void {
    const own = new Uint8Array(Math.max(FIRST_OWN_BYTES, 2 * size));
    own.set(bytes.subarray(0, size));
    this.#used = 0;
    this.#own = own;
    this.#target.setGenerator(this.#takeNext);
    this.#readOwn(own, size);
  }

  #readOwn(own: Uint8Array, size: number): void {
    const consumer = this.#consumer;
    consumer.read(own, this.#used, this.#used + size);
    this.#used += size;
    const keepsOn = consumer.keepsPayload;
    if (keepsOn && own.length - this.#used >= LEAST_ROOM_BYTES) {
      this.#next = own.subarray(this.#used);
    } else {
      consumer.seal(own);
      this.#full.push(own);
      this.#used = 0;
      this.#own = keepsOn ? this.#buffers.take() : undefined;
      this.#next = this.#own ?? shared;
    }
    if (this.#full.length > 0) this.#releaseFull();
  }

  /** Returns complete buffers to the pool; consumers that keep their bytes have claimed them during the read. */
  #releaseFull(): void {
    for (let i = this.#full.length - 1; i >= 0; i--) {
      const buffer = this.#full[i] as Uint8Array;
      if (this.#consumer.refersTo(buffer)) continue;
      this.#full.splice(i, 1);
      this.#buffers.release(buffer);
    }
  }
}

/**
 * Bytes of a socket without the stream machinery and without an allocation for each read. All connections read into one
 * buffer, which is used up before the next read; a connection whose payload somebody wants (a recorder, a viewer) reads
 * into buffers of its own until its messages are complete. Measured in docs/decisions/0012-one-read-buffer.md.
 */
import type { Socket } from 'node:net';
import type { PayloadBuffers } from '../../bytes/payload-buffers.js';

/** The largest TLS record is 16 KB; a plain socket gives more at a time. */
export const BUFFER_BYTES = 64 * 1024;
/** The first buffer of a connection of its own: most that begin to keep payload stop again soon. */
const FIRST_OWN_BYTES = 16 * 1024;
/** Less room than this at the end of a buffer is left unused. */
const LEAST_ROOM_BYTES = 512;

/** Written to by every read of every connection. */
const shared = Buffer.allocUnsafeSlow(BUFFER_BYTES);

export interface ByteTaker {
  /** Somebody wants whole messages: what is read must not be overwritten before they are complete and the buffer is free. */
  readonly keepsPayload: boolean;
  /** `bytes[from, to)` has arrived. Throws nothing. */
  read(bytes: Uint8Array, from: number, to: number): void;
  /** No more will be read into this buffer. Throws nothing. */
  seal(bytes: Uint8Array): void;
  /** The buffer will be written to again: nothing may refer to it any more. Throws nothing. */
  detach(bytes: Uint8Array): void;
  /** Whether an unfinished message lies in this buffer, in part. */
  refersTo(bytes: Uint8Array): boolean;
}

/** Every byte from now on goes to `taker`; the end, errors and closing stay the stream's own events. */
export function readSocket(socket: Socket, taker: ByteTaker, buffers: PayloadBuffers): void {
  // What came with the header of a proxy, or with the end of the handshake.
  for (let early: unknown = socket.read(); early instanceof Uint8Array; early = socket.read()) takeWhole(taker, early);
  if (!readIntoBuffers(socket, taker, buffers)) readThroughPush(socket, taker);
  socket.resume();
}

function takeWhole(taker: ByteTaker, bytes: Uint8Array): void {
  taker.read(bytes, 0, bytes.length);
  taker.seal(bytes);
}

/**
 * The way of the `onread` option of net.connect, which Node offers for outgoing sockets only. False: this Node has no such
 * way, and nothing was changed.
 */
export function readIntoBuffers(socket: Socket, taker: ByteTaker, buffers: PayloadBuffers): boolean {
  const symbols = new Map(Object.getOwnPropertySymbols(socket).map((symbol) => [symbol.description, symbol]));
  const buffer = symbols.get('kBuffer');
  const callback = symbols.get('kBufferCb');
  const generator = symbols.get('kBufferGen');
  const handle: unknown = Reflect.get(socket, '_handle');
  if (buffer === undefined || callback === undefined || generator === undefined || !takesBuffers(handle)) return false;
  const reader = new BufferedReader(taker, buffers);
  handle.useUserBuffer(shared);
  Reflect.set(socket, buffer, shared);
  Reflect.set(socket, callback, (size: number, bytes: Uint8Array) => reader.onRead(size, bytes));
  Reflect.set(socket, generator, () => reader.takeNext());
  return true;
}

/** Node makes a buffer for each read and would queue it in the stream. */
export function readThroughPush(socket: Socket, taker: ByteTaker): void {
  // `push` is how any source hands a Readable its data; TLS and TCP call it on the socket itself.
  const pushToStream = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) return pushToStream(null);
    taker.read(chunk, 0, chunk.length);
    if (taker.keepsPayload) taker.seal(chunk);
    else taker.detach(chunk);
    return true;
  };
}

function takesBuffers(handle: unknown): handle is { useUserBuffer(buffer: Uint8Array): void } {
  return typeof handle === 'object' && handle !== null && typeof Reflect.get(handle, 'useUserBuffer') === 'function';
}

class BufferedReader {
  readonly #taker: ByteTaker;
  readonly #buffers: PayloadBuffers;
  /** Our own buffer while payload is kept, and how far it is used. */
  #own: Uint8Array | undefined;
  #used = 0;
  /** Used up; an unfinished message may still refer to them. */
  readonly #full: Uint8Array[] = [];
  /** Where the next read goes, when that is not where the last one went. */
  #next: Uint8Array | undefined;

  constructor(taker: ByteTaker, buffers: PayloadBuffers) {
    this.#taker = taker;
    this.#buffers = buffers;
  }

  /** Node asks after each read. */
  takeNext(): Uint8Array | undefined {
    const next = this.#next;
    this.#next = undefined;
    return next;
  }

  /** `size` bytes are at the start of `bytes`. True: go on reading. */
  onRead(size: number, bytes: Uint8Array): boolean {
    const taker = this.#taker;
    if (this.#own !== undefined) {
      this.#readOwn(this.#own, size);
    } else if (taker.keepsPayload) {
      this.#moveOut(bytes, size);
    } else {
      taker.read(bytes, 0, size);
      taker.detach(bytes);
      // What was begun while payload was kept has ended meanwhile.
      if (this.#full.length > 0) this.#releaseFull();
    }
    return true;
  }

  /** Somebody began to want payload since the last read: this one is copied, the next ones need not be. */
  #moveOut(bytes: Uint8Array, size: number): void {
    const own = Buffer.allocUnsafeSlow(Math.max(FIRST_OWN_BYTES, 2 * size));
    own.set(bytes.subarray(0, size));
    this.#used = 0;
    this.#own = own;
    this.#readOwn(own, size);
  }

  #readOwn(own: Uint8Array, size: number): void {
    const taker = this.#taker;
    taker.read(own, this.#used, this.#used + size);
    this.#used += size;
    const keepsOn = taker.keepsPayload;
    if (keepsOn && own.length - this.#used >= LEAST_ROOM_BYTES) {
      this.#next = own.subarray(this.#used);
    } else {
      taker.seal(own);
      this.#full.push(own);
      this.#used = 0;
      this.#own = keepsOn ? this.#buffers.take() : undefined;
      this.#next = this.#own ?? shared;
    }
    if (this.#full.length > 0) this.#releaseFull();
  }

  /** Who keeps the bytes of one for longer has said so during the read. */
  #releaseFull(): void {
    for (let i = this.#full.length - 1; i >= 0; i--) {
      const buffer = this.#full[i] as Uint8Array;
      if (this.#taker.refersTo(buffer)) continue;
      this.#full.splice(i, 1);
      this.#buffers.release(buffer);
    }
  }
}

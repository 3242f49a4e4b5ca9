/**
 * Bytes of a socket without the stream machinery and without an allocation for each read. All connections read into one
 * buffer, which is used up before the next read; a connection whose payload somebody keeps (a recorder, a viewer) reads
 * into buffers of its own. Measured in docs/decisions/0012-one-read-buffer.md.
 */
import type { Socket } from 'node:net';

/** The largest TLS record is 16 KB; a plain socket gives more at a time. */
const BUFFER_BYTES = 64 * 1024;
/** The first buffer of a connection of its own: most that begin to keep payload stop again soon. */
const FIRST_OWN_BYTES = 16 * 1024;
/** Less room than this at the end of a buffer is left unused. */
const LEAST_ROOM_BYTES = 512;

/** Written to by every read of every connection. */
const shared = Buffer.allocUnsafeSlow(BUFFER_BYTES);

export interface ByteTaker {
  /** Whoever gets the payload may keep it: what is read must never be overwritten. */
  readonly keepsPayload: boolean;
  /** `bytes[from, to)` has arrived. Throws nothing. */
  read(bytes: Uint8Array, from: number, to: number): void;
  /** No more will be read into this buffer. Throws nothing. */
  settle(bytes: Uint8Array): void;
  /** The buffer will be written to again: nothing may refer to it any more. Throws nothing. */
  vacate(bytes: Uint8Array): void;
}

/** Every byte from now on goes to `taker`; the end, errors and closing stay the stream's own events. */
export function readSocket(socket: Socket, taker: ByteTaker): void {
  // What came with the header of a proxy, or with the end of the handshake.
  for (let early: unknown = socket.read(); early instanceof Uint8Array; early = socket.read()) takeWhole(taker, early);
  if (!readIntoBuffers(socket, taker)) readThroughPush(socket, taker);
  socket.resume();
}

function takeWhole(taker: ByteTaker, bytes: Uint8Array): void {
  taker.read(bytes, 0, bytes.length);
  taker.settle(bytes);
}

/**
 * The way of the `onread` option of net.connect, which Node offers for outgoing sockets only. False: this Node has no such
 * way, and nothing was changed.
 */
export function readIntoBuffers(socket: Socket, taker: ByteTaker): boolean {
  const symbols = new Map(Object.getOwnPropertySymbols(socket).map((symbol) => [symbol.description, symbol]));
  const buffer = symbols.get('kBuffer');
  const callback = symbols.get('kBufferCb');
  const generator = symbols.get('kBufferGen');
  const handle: unknown = Reflect.get(socket, '_handle');
  if (buffer === undefined || callback === undefined || generator === undefined || !takesBuffers(handle)) return false;
  const reader = new BufferedReader(taker);
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
    if (taker.keepsPayload) taker.settle(chunk);
    else taker.vacate(chunk);
    return true;
  };
}

function takesBuffers(handle: unknown): handle is { useUserBuffer(buffer: Uint8Array): void } {
  return typeof handle === 'object' && handle !== null && typeof Reflect.get(handle, 'useUserBuffer') === 'function';
}

class BufferedReader {
  readonly #taker: ByteTaker;
  /** Our own buffer while payload is kept, and how far it is used. */
  #own: Buffer | undefined;
  #used = 0;
  /** Where the next read goes, when that is not where the last one went. */
  #next: Uint8Array | undefined;

  constructor(taker: ByteTaker) {
    this.#taker = taker;
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
      taker.vacate(bytes);
    }
    return true;
  }

  /** Somebody began to keep payload since the last read: this one is copied, the next ones need not be. */
  #moveOut(bytes: Uint8Array, size: number): void {
    const own = Buffer.allocUnsafeSlow(Math.max(FIRST_OWN_BYTES, 2 * size));
    own.set(bytes.subarray(0, size));
    this.#used = 0;
    this.#own = own;
    this.#readOwn(own, size);
  }

  #readOwn(own: Buffer, size: number): void {
    const taker = this.#taker;
    taker.read(own, this.#used, this.#used + size);
    this.#used += size;
    if (!taker.keepsPayload) {
      taker.settle(own);
      this.#own = undefined;
      this.#next = shared;
    } else if (own.length - this.#used < LEAST_ROOM_BYTES) {
      taker.settle(own);
      this.#used = 0;
      this.#own = Buffer.allocUnsafeSlow(BUFFER_BYTES);
      this.#next = this.#own;
    } else {
      this.#next = own.subarray(this.#used);
    }
  }
}

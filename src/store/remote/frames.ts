/** Frames on the socket: four bytes of length, one byte of kind, the payload. */
import type { Writable } from 'node:stream';
import { TurnCork } from '../shared/turn-cork.js';
import { REMOTE_LIMITS } from './limits.js';

export const FRAME = {
  /** First frame of the server: the protocol version. */
  hello: 1,
  /** `[id, name, arguments]` as JSON. */
  call: 2,
  /** `[id, result]`, or `[id]` if the result is undefined. */
  answer: 3,
  /** `[id, fault]` */
  failure: 4,
  /** Two bytes of length, the topic, the message as JSON. The server forwards it unchanged. */
  event: 5,
} as const;

export interface Frame {
  readonly kind: number;
  readonly payload: Buffer;
}

/** The peer violated the protocol; the connection is closed. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
  readonly code = 'STORE_FRAME';
}

const HEAD_BYTES = 5;
const LENGTH_BYTES = 4;

/** @throws RangeError if the payload exceeds the frame limit */
export function frameOf(kind: number, payload: Buffer): Buffer {
  const frame = headed(kind, payload.length);
  payload.copy(frame, HEAD_BYTES);
  return frame;
}

/** A frame with its head, and room for the payload. */
function headed(kind: number, payloadBytes: number): Buffer {
  const length = payloadBytes + 1;
  if (length > REMOTE_LIMITS.frameBytes) throw new RangeError(`${length} bytes exceed the limit of one store call`);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + length);
  frame.writeUInt32BE(length, 0);
  frame[LENGTH_BYTES] = kind;
  return frame;
}

export function jsonFrame(kind: number, value: unknown): Buffer {
  const text = JSON.stringify(value);
  const frame = headed(kind, Buffer.byteLength(text));
  frame.write(text, HEAD_BYTES);
  return frame;
}

export function eventFrame(topic: string, message: unknown): Buffer {
  const text = JSON.stringify(message ?? null);
  const nameBytes = Buffer.byteLength(topic);
  const frame = headed(FRAME.event, 2 + nameBytes + Buffer.byteLength(text));
  frame.writeUInt16BE(nameBytes, HEAD_BYTES);
  frame.write(topic, HEAD_BYTES + 2);
  frame.write(text, HEAD_BYTES + 2 + nameBytes);
  return frame;
}

/** @throws FrameError */
export function readEvent(payload: Buffer): { readonly topic: string; readonly text: Buffer } {
  const end = payload.length < 2 ? Number.POSITIVE_INFINITY : 2 + payload.readUInt16BE(0);
  if (end > payload.length) throw new FrameError('truncated event');
  return { topic: payload.toString('utf8', 2, end), text: payload.subarray(end) };
}

/** Splits received bytes into frames. Copies a frame at most once, however many chunks it arrives in. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** @throws FrameError for an invalid length */
  *push(chunk: Buffer): Generator<Frame> {
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    for (let length = this.#nextLength(); length !== undefined; length = this.#nextLength()) {
      const end = LENGTH_BYTES + length;
      if (this.#bytes < end) return;
      const all = this.#joined(this.#bytes);
      this.#pieces = all.length > end ? [all.subarray(end)] : [];
      this.#bytes -= end;
      yield { kind: all[LENGTH_BYTES] ?? 0, payload: all.subarray(HEAD_BYTES, end) };
    }
  }

  #nextLength(): number | undefined {
    if (this.#bytes < LENGTH_BYTES) return undefined;
    const first = this.#pieces[0];
    const length = (
      first !== undefined && first.length >= LENGTH_BYTES ? first : this.#joined(LENGTH_BYTES)
    ).readUInt32BE(0);
    if (length < 1 || length > REMOTE_LIMITS.frameBytes) throw new FrameError(`a frame of ${length} bytes`);
    return length;
  }

  /** Joins the chunks into one and keeps it; at least `least` bytes have arrived. */
  #joined(least: number): Buffer {
    const [first] = this.#pieces;
    if (first !== undefined && this.#pieces.length === 1 && first.length >= least) return first;
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }
}

/** Writes frames to a socket: those of one event-loop turn leave in one system call. */
export class TurnWriter {
  readonly #socket: Writable;
  readonly #cork = new TurnCork();

  constructor(socket: Writable) {
    this.#socket = socket;
  }

  write(frame: Buffer): void {
    this.#cork.hold(this.#socket);
    this.#socket.write(frame);
  }
}

/** Frames on the socket: four bytes of length, one byte of kind, then the payload. */
import { REMOTE_LIMITS } from './limits.js';

export const FRAME = {
  /** From the server, first of all: the version of the protocol. */
  hello: 1,
  /** `[id, name, arguments]` as JSON. */
  call: 2,
  /** `[id, result]`, without the result when it is undefined. */
  answer: 3,
  /** `[id, fault]` */
  failure: 4,
  /** Two bytes of length, the topic, the message as JSON. The server passes it on as it came. */
  event: 5,
} as const;

export interface Frame {
  readonly kind: number;
  readonly payload: Buffer;
}

/** The peer sent what the protocol does not have; the connection ends. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
  readonly code = 'STORE_FRAME';
}

const HEAD_BYTES = 5;
const LENGTH_BYTES = 4;

/** @throws RangeError when the payload is longer than a frame may be */
export function frameOf(kind: number, payload: Buffer): Buffer {
  const length = payload.length + 1;
  if (length > REMOTE_LIMITS.frameBytes) throw new RangeError(`${length} bytes are too many for one call of the store`);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + length);
  frame.writeUInt32BE(length, 0);
  frame[LENGTH_BYTES] = kind;
  payload.copy(frame, HEAD_BYTES);
  return frame;
}

export function jsonFrame(kind: number, value: unknown): Buffer {
  return frameOf(kind, Buffer.from(JSON.stringify(value)));
}

export function eventFrame(topic: string, message: unknown): Buffer {
  const name = Buffer.from(topic);
  const length = Buffer.allocUnsafe(2);
  length.writeUInt16BE(name.length);
  return frameOf(FRAME.event, Buffer.concat([length, name, Buffer.from(JSON.stringify(message ?? null))]));
}

/** @throws FrameError */
export function readEvent(payload: Buffer): { readonly topic: string; readonly text: Buffer } {
  const end = payload.length < 2 ? Number.POSITIVE_INFINITY : 2 + payload.readUInt16BE(0);
  if (end > payload.length) throw new FrameError('an event is cut short');
  return { topic: payload.toString('utf8', 2, end), text: payload.subarray(end) };
}

/** Cuts what arrives into frames. A frame is copied once at most, however many pieces it comes in. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** @throws FrameError for a length that no frame may have */
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

  /** All pieces as one, kept so; `least` bytes are there. */
  #joined(least: number): Buffer {
    const [first] = this.#pieces;
    if (first !== undefined && this.#pieces.length === 1 && first.length >= least) return first;
    const all = Buffer.concat(this.#pieces);
    this.#pieces = [all];
    return all;
  }
}

/**
 * Binary keys with a defined order: names end with NUL (which no name contains), numbers are big-endian. All rows of an
 * owner start with `owner NUL generation`: a delete increments the generation in constant time and leaves the old range
 * to the sweeper.
 */
import type { Bound, Position } from '../shared/edge-range.js';

const NUL = Buffer.from([0]);

export function name(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** An integer up to 2^53 in eight bytes. */
export function uint53(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeUInt32BE(Math.floor(value / 0x1_0000_0000), 0);
  bytes.writeUInt32BE(value % 0x1_0000_0000, 4);
  return bytes;
}

export function readUint53(bytes: Uint8Array, offset: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(offset) * 0x1_0000_0000 + view.getUint32(offset + 4);
}

/** The key prefix of an owner's rows of one kind. */
export function prefix(owner: string, generation: number, kind: string, ...names: readonly string[]): Buffer {
  let length = Buffer.byteLength(owner) + 1 + 4 + Buffer.byteLength(kind);
  for (const each of names) length += Buffer.byteLength(each) + 1;
  const bytes = Buffer.allocUnsafe(length);
  let at = bytes.writeUInt8(0, bytes.write(owner));
  at = bytes.writeUInt32BE(generation, at);
  at += bytes.write(kind, at);
  for (const each of names) at = bytes.writeUInt8(0, at + bytes.write(each, at));
  return bytes;
}

/** The key prefix of all rows of an owner's generation. */
export function ownerPrefix(owner: string, generation: number): Buffer {
  return Buffer.concat([name(owner), uint32(generation)]);
}

/** The first key after all that start with `start`, which must not be all 0xff: our prefixes end with a NUL or a count. */
export function endOf(start: Buffer): Buffer {
  const end = Buffer.from(start);
  for (let index = end.length - 1; index >= 0; index -= 1) {
    const byte = end[index] ?? 0;
    if (byte < 0xff) {
      end[index] = byte + 1;
      return end.subarray(0, index + 1);
    }
  }
  return Buffer.from([0xff]);
}

/** The successor of `key`. */
export function after(key: Buffer): Buffer {
  return Buffer.concat([key, NUL]);
}

export function positionKey(edge: Buffer, position: Position): Buffer {
  const bytes = Buffer.allocUnsafe(edge.length + 8 + Buffer.byteLength(position.member));
  edge.copy(bytes);
  bytes.writeUInt32BE(Math.floor(position.score / 0x1_0000_0000), edge.length);
  bytes.writeUInt32BE(position.score % 0x1_0000_0000, edge.length + 4);
  bytes.write(position.member, edge.length + 8);
  return bytes;
}

export function readPosition(edge: Buffer, key: Uint8Array): Position {
  return {
    score: readUint53(key, edge.length),
    member: Buffer.from(key.buffer, key.byteOffset + edge.length + 8, key.byteLength - edge.length - 8).toString(),
  };
}

/** The lower bound as an inclusive key. */
export function lowKey(edge: Buffer, bound: Bound): Buffer {
  const key = positionKey(edge, bound);
  return bound.inclusive ? key : after(key);
}

/** The upper bound as an exclusive key. */
export function highKey(edge: Buffer, bound: Bound): Buffer {
  const key = positionKey(edge, bound);
  return bound.inclusive ? after(key) : key;
}

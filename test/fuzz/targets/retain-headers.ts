/**
 * A message with retained headers parses exactly as the complete one, whatever its content and wherever it is split:
 * the contract that lets all connections share a read buffer. Each buffer is overwritten as soon as it is released.
 */
import { isDeepStrictEqual } from 'node:util';
import { PartialFrame } from '../../../src/bytes/partial-frame.js';
import { SliceList } from '../../../src/bytes/slices.js';
import { TagParser } from '../../../src/media/flv/tag-parser.js';
import { avcFrame, headOf } from '../../support/flv-writer.js';
import type { FuzzTarget, Random } from '../../support/fuzz.js';
import { lengthPrefixed, slice } from '../../support/h264-writer.js';
import { config, frames } from './retain-headers-corpus.js';

/** Result of `parseVideo` for the message, in a connection that has received a header and a frame. */
export function told(parser: TagParser, payload: SliceList): unknown[] {
  const tracks = parser.parseVideo(payload, 40);
  return Array.from({ length: tracks }, (_, i) => structuredClone(parser.videoTrack(i)));
}

/** Cannot be parsed from its prefix: the first piece is a single byte. */
export const inPieces = (message: Uint8Array) => SliceList.of(message.subarray(0, 1), message.subarray(1));

/** Parses from the first bytes of a random read, or completely if those do not suffice. */
function fromPrefix(parser: TagParser, message: Uint8Array, random: Random): unknown[] {
  const seen = Math.min(message.length, Math.floor(random() * 40));
  const before = structuredClone(parser.video);
  if (parser.parsePrefix(headOf('video', message, seen))) return [structuredClone(parser.video)];
  if (!isDeepStrictEqual(structuredClone(parser.video), before)) throw new Error('parsing a prefix changed the packet');
  return told(parser, inPieces(message));
}

/** The message as it arrives in reads of random sizes, each into the same buffer. */
function retained(parser: TagParser, message: Uint8Array, random: Random): SliceList {
  const shared = new Uint8Array(message.length + 8);
  const list = new SliceList();
  const progress = new PartialFrame();
  for (let at = 0; at < message.length; ) {
    const size = Math.min(message.length - at, 1 + Math.floor(random() * (random() < 0.3 ? 12 : 3000)));
    shared.fill(0xa5, 0, Math.min(shared.length, 4096));
    shared.set(message.subarray(at, at + size), 4);
    const pieces = list.count;
    list.push(shared, 4, 4 + size);
    at += size;
    if (at < message.length && !parser.retainHeaders(list, progress)) {
      const copy = list.copy(at - size, at);
      list.truncate(pieces);
      list.push(copy, 0, size);
    }
  }
  return list;
}

/** The message read at the offsets of `nextWanted`, in reads of random sizes; the bytes between are skipped. */
function wantedOnly(parser: TagParser, message: Uint8Array, random: Random): SliceList {
  const list = new SliceList();
  const progress = new PartialFrame();
  while (list.length < message.length) {
    const size = Math.min(message.length - list.length, 1 + Math.floor(random() * (random() < 0.3 ? 12 : 1500)));
    const part = message.slice(list.length, list.length + size);
    list.push(part, 0, size);
    const next = Math.min(parser.nextWanted(list, progress), message.length);
    if (next > list.length) list.pushHole(next - list.length);
  }
  return list;
}

/** Frames with length fields of the given size. */
export function retainHeadersTarget(nalLengthSize: 4 | 2 | 1): FuzzTarget {
  return {
    seeds: frames(nalLengthSize),
    rounds: 1500,
    msPerKiB: 6,
    decode: (message, random) => {
      const whole = new TagParser({ analysis: true });
      const looking = new TagParser({ analysis: true });
      for (const parser of [whole, looking]) parser.parseVideo(SliceList.of(config(nalLengthSize)), 0);
      // Inter frames are parsed less completely after the first eight.
      const framesBefore = random() < 0.5 ? 9 : Math.floor(random() * 9);
      for (let i = 0; i < framesBefore; i++) {
        for (const parser of [whole, looking]) parser.parseVideo(SliceList.of(avcFrame(lengthPrefixed([slice()]))), 0);
      }
      const expected = told(whole, inPieces(message));
      const way = Math.floor(random() * 3);
      const read = way === 0 ? retained : wantedOnly;
      const actual = way === 2 ? fromPrefix(looking, message, random) : told(looking, read(looking, message, random));
      if (!isDeepStrictEqual(actual, expected)) {
        throw new Error(`${JSON.stringify(actual)}\nin place of\n${JSON.stringify(expected)}`);
      }
    },
  };
}

/** A connection with a shared read buffer delivers the same messages as one with kept buffers. */
import { isDeepStrictEqual } from 'node:util';
import type { PartialFrame } from '../../../src/bytes/partial-frame.js';
import { SliceList } from '../../../src/bytes/slices.js';
import { WireError } from '../../../src/bytes/wire-error.js';
import { TagParser } from '../../../src/media/flv/tag-parser.js';
import { ChunkDecoder } from '../../../src/rtmp/chunks/decoder.js';
import { ChunkEncoder } from '../../../src/rtmp/chunks/encoder.js';
import { DEFAULT_RTMP_LIMITS } from '../../../src/rtmp/limits.js';
import type { MessageSink, RtmpMessage } from '../../../src/rtmp/messages/message.js';
import type { FuzzTarget, Parts } from '../../support/fuzz.js';
import { told } from './retain-headers.js';
import { config, frames } from './retain-headers-corpus.js';

const VIDEO = 9;

class Telling implements MessageSink {
  readonly parser = new TagParser();
  readonly told: unknown[] = [];
  readonly #retains: boolean;

  constructor(retains: boolean) {
    this.#retains = retains;
    this.parser.parseVideo(SliceList.of(config(4)), 0);
  }

  takeMessage({ typeId, timestampMs, messageNumber, byteOffset, payload }: RtmpMessage): void {
    const said =
      typeId === VIDEO ? told(this.parser, payload) : Buffer.from(payload.copy(0, payload.length)).toString('hex');
    this.told.push([typeId, timestampMs, messageNumber, byteOffset, payload.length, said]);
  }

  retainHeaders(_messageStreamId: number, payload: SliceList, partial: PartialFrame): boolean {
    return this.#retains && this.parser.retainHeaders(payload, partial);
  }
}

/** Video and audio of two interleaved chunk streams, in chunks of an unusual size, message by message. */
function chunks(chunkSize: number): Parts {
  const encoder = new ChunkEncoder({ chunkSize });
  // Set Chunk Size (RTMP 1.0 5.4.1).
  const first = encoder.encode(2, 1, 0, 0, Uint8Array.of(0, 0, chunkSize >> 8, chunkSize & 255));
  const parts = frames(4)
    .filter((_, i) => i % 4 === 0)
    .flatMap((frame, i) => [
      encoder.encode(6, VIDEO, 1, 40 * i, Buffer.concat(frame)),
      encoder.encode(4, 8, 1, 40 * i, new Uint8Array(30 + 11 * i).fill(i)),
    ]);
  return [first, ...parts];
}

export const sharedBuffer: FuzzTarget = {
  seeds: [chunks(128), chunks(4096), chunks(61_000)],
  rounds: 150,
  msPerKiB: 12,
  decode: (bytes, random) => {
    const kept = new Telling(false);
    const keeping = new ChunkDecoder(kept, DEFAULT_RTMP_LIMITS);
    const sharedTold = new Telling(true);
    const sharing = new ChunkDecoder(sharedTold, DEFAULT_RTMP_LIMITS);
    const shared = new Uint8Array(16_384);
    const most = 1 + Math.floor(random() ** 2 * 16_383);
    let before = shared.length;
    let faults: [unknown, unknown] = [undefined, undefined];
    for (let at = 0; at < bytes.length && faults[0] === undefined; ) {
      const size = Math.min(bytes.length - at, 1 + Math.floor(random() * most));
      const part = bytes.slice(at, at + size);
      at += size;
      shared.fill(0xa5, 0, before);
      shared.set(part);
      before = size;
      faults = [
        faultOf(() => keeping.push(part)),
        faultOf(() => {
          sharing.read(shared, 0, size);
          sharing.detach(shared);
        }),
      ];
      if (faults[1] === undefined && sharing.refersTo(shared))
        throw new Error('a message refers to the released buffer');
    }
    // Held memory differs where less is kept.
    if (/RTMP_UNFINISHED/.test(`${faults}`)) return;
    if (!isDeepStrictEqual(faults[0], faults[1])) throw new Error(`${faults[1]} in place of ${faults[0]}`);
    const first = kept.told.findIndex((message, i) => !isDeepStrictEqual(message, sharedTold.told[i]));
    if (first >= 0 || kept.told.length !== sharedTold.told.length) {
      throw new Error(`message ${first}: ${JSON.stringify(sharedTold.told[first])}`);
    }
  },
};

/** Code of a WireError; errors of the sink propagate. */
function faultOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return `${error.code} at ${error.offset}: ${error.message}`;
  }
}

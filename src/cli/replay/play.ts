/** Sends a recording as an encoder would: at the pace of its time stamps, or faster, with faults where they are asked for. */
import type { Encoder } from './encoder.js';
import type { TagBatch } from './source.js';

export interface PlayOptions {
  /** Media seconds a second; infinite: as fast as the server takes it. */
  readonly speed: number;
  /** Goes without a word after so much media. */
  readonly dropAfterMs?: number;
  /** Each message is held back by up to this long; the order stays. */
  readonly jitterMs?: number;
  /** A random number from 0 to 1. */
  readonly random: () => number;
  /** Somebody wants it to end here. */
  readonly stop?: AbortSignal;
}

export type Ending = 'finished' | 'stopped' | 'dropped' | 'ended-by-server';

export interface Played {
  readonly ending: Ending;
  readonly mediaMs: number;
  readonly messages: number;
}

/** Below this a timer is not worth setting. */
const SHORTEST_WAIT_MS = 2;
const YIELD_EVERY = 256;

/** @throws what the source throws, unless it was stopped: Ctrl-C ends the tool that reads the file as well */
export async function play(encoder: Encoder, source: AsyncGenerator<TagBatch>, options: PlayOptions): Promise<Played> {
  const sent = { mediaMs: 0, messages: 0 };
  try {
    return { ending: await sendAll(encoder, source, options, sent), ...sent };
  } catch (error) {
    if (options.stop?.aborted !== true) throw error;
    return { ending: 'stopped', ...sent };
  }
}

async function sendAll(
  encoder: Encoder,
  source: AsyncGenerator<TagBatch>,
  options: PlayOptions,
  sent: { mediaMs: number; messages: number },
): Promise<Ending> {
  let startMs: number | undefined;
  let firstMs = 0;
  for await (const { tags, offsetMs } of source) {
    for (const tag of tags) {
      const timeMs = tag.timeMs + offsetMs;
      if (tag.kind !== 'data' && startMs === undefined) {
        startMs = performance.now();
        firstMs = timeMs;
      }
      const mediaMs = startMs === undefined ? 0 : timeMs - firstMs;
      if (options.dropAfterMs !== undefined && mediaMs >= options.dropAfterMs) {
        await encoder.drained();
        encoder.drop();
        return 'dropped';
      }
      const waitMs = startMs === undefined ? 0 : waitFor(startMs + mediaMs / options.speed, options);
      if (waitMs >= SHORTEST_WAIT_MS) {
        encoder.flush();
        await encoder.pause(waitMs);
      }
      if (options.stop?.aborted === true) return 'stopped';
      if (encoder.closed) return 'ended-by-server';
      encoder.send(tag.kind, timeMs, tag.payload);
      sent.mediaMs = Math.max(sent.mediaMs, mediaMs);
      sent.messages++;
      if (encoder.mustWait) await encoder.drained(1);
      // What the server says must be read also while sending goes at full speed.
      if (sent.messages % YIELD_EVERY === 0) await new Promise(setImmediate);
    }
  }
  await encoder.drained();
  return encoder.closed ? 'ended-by-server' : 'finished';
}

function waitFor(dueMs: number, { speed, jitterMs, random }: PlayOptions): number {
  const heldMs = jitterMs === undefined ? 0 : jitterMs * random();
  return (Number.isFinite(speed) ? dueMs - performance.now() : 0) + heldMs;
}

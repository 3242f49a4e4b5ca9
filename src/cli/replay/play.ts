/** Sends a recording like an encoder: at the pace of its timestamps or faster, with optional fault injection. */
import type { Encoder } from './encoder.js';
import type { TagBatch } from './source.js';

export interface PlayOptions {
  /** Media seconds per second; infinite: as fast as the server accepts it. */
  readonly speed: number;
  /** Drops the connection after this much media. */
  readonly dropAfterMs?: number;
  /** Maximum random delay of each message; the order is kept. */
  readonly jitterMs?: number;
  /** Returns a random number from 0 to 1. */
  readonly random: () => number;
  /** Stops sending. */
  readonly stop?: AbortSignal;
}

export type Ending = 'finished' | 'stopped' | 'dropped' | 'ended-by-server';

export interface Played {
  readonly ending: Ending;
  readonly mediaMs: number;
  readonly messages: number;
}

/** Shorter waits are skipped: a timer would overshoot them. */
const MIN_WAIT_MS = 2;
const YIELD_EVERY = 256;

/** @throws errors of the source, unless stopped: Ctrl-C also ends the tool that reads the file */
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
      if (waitMs >= MIN_WAIT_MS) {
        encoder.flush();
        await encoder.pause(waitMs);
      }
      if (options.stop?.aborted === true) return 'stopped';
      if (encoder.closed) return 'ended-by-server';
      encoder.send(tag.kind, timeMs, tag.payload);
      sent.mediaMs = Math.max(sent.mediaMs, mediaMs);
      sent.messages++;
      if (encoder.mustWait) await encoder.drained(1);
      // Lets the event loop read messages of the server while sending at full speed.
      if (sent.messages % YIELD_EVERY === 0) await new Promise(setImmediate);
    }
  }
  await encoder.drained();
  return encoder.closed ? 'ended-by-server' : 'finished';
}

function waitFor(dueMs: number, { speed, jitterMs, random }: PlayOptions): number {
  const delayMs = jitterMs === undefined ? 0 : jitterMs * random();
  return (Number.isFinite(speed) ? dueMs - performance.now() : 0) + delayMs;
}

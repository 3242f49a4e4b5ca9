/** When the messages of a fixture arrive on the simulated clock: pace and pauses of the sender, and the link behind it. */
import type { Delivery } from './fixtures.js';
import type { SynthMessage } from './synth-stream.js';

/** Over which a link has one rate. */
const STEP_MS = 10;

/** Time at which each message arrives, in order; a message of no media time of its own arrives with the one before. */
export function arrivals(delivery: Delivery): (message: SynthMessage) => number {
  const pauses = [...(delivery.pauses ?? [])];
  const link = linkOf(delivery);
  let heldMs = 0;
  let lastMs: number | undefined;
  let mediaMs = 0;
  let atMs = 0;
  return (message) => {
    mediaMs += (message.timestampMs - (lastMs ?? message.timestampMs)) | 0;
    lastMs = message.timestampMs;
    while (pauses[0] !== undefined && mediaMs >= pauses[0].atMs) heldMs += pauses.shift()?.forMs ?? 0;
    const sentMs = mediaMs / delivery.speed + heldMs + lateBy(delivery, mediaMs);
    atMs = Math.max(atMs, link(sentMs, message.payload.length * 8));
    return atMs;
  };
}

function lateBy({ late = [] }: Delivery, mediaMs: number): number {
  return last(late, mediaMs)?.byMs ?? 0;
}

/** A message is through when all before it and its own bits are. */
function linkOf({ link }: Delivery): (sentMs: number, bits: number) => number {
  if (link === undefined) return (sentMs) => sentMs;
  let freeMs = 0;
  return (sentMs, bits) => {
    freeMs = Math.max(freeMs, sentMs);
    let left = bits;
    while (left > 0) {
      const kbps = last(link, freeMs)?.kbps ?? Number.POSITIVE_INFINITY;
      const stepMs = kbps === 0 ? STEP_MS : Math.min(STEP_MS, left / kbps);
      left -= stepMs === 0 ? left : kbps * stepMs;
      freeMs += stepMs;
    }
    return freeMs;
  };
}

/** The last change up to a time. */
function last<Change extends { readonly fromMs: number }>(changes: readonly Change[], ms: number): Change | undefined {
  return changes.findLast(({ fromMs }) => fromMs <= ms);
}

/**
 * Why a stream got worse, by its arrival. One cause at a time, in an order in which each excludes those before it; where the
 * measurements do not agree there is none. What the encoder itself reports comes first.
 */
import type { DeliveryFacts } from '../facts/delivery/delivery-facts.js';
import { GAP_CAUGHT_UP, GAP_ENDED, GAP_JUMPED, NO_GAP } from '../facts/delivery/gap-facts.js';
import type { StreamFacts } from '../facts/stream-facts.js';
import { CAUSES } from '../spec/tolerances.js';
import { formatValue } from './describe.js';
import { FAIL_NOW, type Outcome, PASS, PASS_SO_FAR, SKIP, UNKNOWN } from './rule.js';

export const CAUSE_SECONDS = CAUSES.windowMs.value / 1000;
/** A rate that has just changed. */
export const STEP_SECONDS = 5;
/** A stream far ahead of real time is sent from a file: its lag says nothing. */
const MAX_RATIO = 1.1;
/** Where the earlier bitrate is looked for. */
const STEPS_BACK = [10, 20, 30, 40, 50];
const SILENT_MS = 2000;
/** Time in pauses, within 10 s: lost packets that are sent again sooner do not disturb. */
const INTERRUPTED_MS = 1000;
/** Times the stream's own rate: more than what a full link holds back and delivers at once adds to its rate. */
const FAST_RATIO = 1.2;

export type Cause = 'outage' | 'uplink' | 'sender drops' | 'lowered' | 'overloaded' | 'paused' | 'server late';

/** Outcome of the rule of a cause. */
export function isCause(facts: StreamFacts, cause: Cause): Outcome {
  const share = reportedShare(facts, cause);
  if (!Number.isNaN(share)) return isShare(share);
  if (!facts.isLiveMode) return SKIP;
  if (causeOf(facts) === cause) return FAIL_NOW;
  return facts.delivery.seconds < CAUSE_SECONDS ? PASS_SO_FAR : PASS;
}

/** Outcome for a share of frames that the encoder reports. */
export function isShare(share: number): Outcome {
  if (Number.isNaN(share)) return UNKNOWN;
  return share > CAUSES.share.value ? FAIL_NOW : PASS;
}

/** Share that the encoder itself reports for this cause; NaN if it reports nothing. */
function reportedShare({ reported }: StreamFacts, cause: Cause): number {
  if (cause === 'sender drops') return reported.dropped;
  return cause === 'overloaded' ? reported.skipped : Number.NaN;
}

function causeOf(facts: StreamFacts): Cause | 'none' {
  const { delivery, arrival } = facts;
  const { gap, nowMs } = delivery;
  if (nowMs - delivery.lateAtMs <= CAUSES.windowMs.value) {
    return delivery.lateMs >= CAUSES.serverLateMs.value ? 'server late' : 'none';
  }
  if (nowMs - arrival.lastPacketAtMs > SILENT_MS) return 'none';
  // What follows is not known yet, which takes seconds where packets are lost; that they are lost says enough.
  if (gap.state === GAP_ENDED) return losesPackets(delivery) === true ? 'outage' : 'none';
  if (gap.state !== NO_GAP && nowMs - gap.endedAtMs <= CAUSES.windowMs.value) {
    // A gap in which the server was late is its own, also when the rest of it is judged later.
    if (gap.endedAtMs - gap.lengthMs - delivery.lateAtMs <= CAUSES.windowMs.value) return 'none';
    if (gap.state === GAP_CAUGHT_UP) return 'outage';
    return gap.state === GAP_JUMPED ? 'paused' : 'none';
  }
  if (delivery.seconds <= CAUSE_SECONDS) return 'none';
  const isLost = losesPackets(delivery);
  const isFast = delivery.loss.interruptedMs >= INTERRUPTED_MS && isFastBetweenPauses(delivery);
  if (isLost === true && isFast) return 'outage';
  const cause = byTrend(facts);
  if (isFast && (cause === 'uplink' || cause === 'sender drops')) return 'none';
  // A full link loses packets too, and a queue that is full of them drops frames: what is known of those says more.
  if (cause !== 'none' && cause !== 'overloaded') return cause;
  if (isLost === undefined) return 'none';
  return isLost ? 'outage' : cause;
}

/** The stream is interrupted for a tenth of the time until lost packets are sent again; undefined: by what is not known. */
function losesPackets({ loss, nowMs }: DeliveryFacts): boolean | undefined {
  return loss.interruptedMs >= INTERRUPTED_MS && loss.lost(nowMs, CAUSES.windowMs.value);
}

/** A full link carries bytes all the time, and a link that loses packets carries them at a high rate between its pauses. */
function isFastBetweenPauses(delivery: DeliveryFacts): boolean {
  return delivery.flowingKbps(STEP_SECONDS) > FAST_RATIO * delivery.codedKbps(CAUSE_SECONDS);
}

interface Interruption {
  readonly ms: number;
  readonly limitMs: number;
  readonly manner: string;
}

/** How long a connection was interrupted, at once or by lost packets, and which of both. */
export function interruption({ delivery }: StreamFacts): Interruption {
  const { state, endedAtMs } = delivery.gap;
  const isAtOnce =
    (state === GAP_CAUGHT_UP || state === GAP_ENDED) && delivery.nowMs - endedAtMs <= CAUSES.windowMs.value;
  if (isAtOnce || losesPackets(delivery) !== true) return { ms: delivery.gap.lengthMs, limitMs: SILENT_MS, manner: '' };
  return { ms: delivery.loss.interruptedMs, limitMs: INTERRUPTED_MS, manner: ` of ${CAUSE_SECONDS} s by lost packets` };
}

function byTrend(facts: StreamFacts): Cause | 'none' {
  const { delivery } = facts;
  const ratio = delivery.mediaRatio(CAUSE_SECONDS);
  if (ratio > MAX_RATIO) return 'none';
  if (facts.video.rate.missingRatio > CAUSES.share.value) return byMissingFrames(facts, ratio);
  if (!Number.isNaN(bitrateBefore(delivery))) return 'lowered';
  const grewMs = delivery.lagMs - delivery.lagAgo(CAUSE_SECONDS);
  if (ratio >= CAUSES.ratio.value || grewMs < CAUSES.growthMs.value) return 'none';
  if (delivery.lagGrew(CAUSE_SECONDS) < CAUSES.growingSeconds.value) return 'none';
  // What was held up comes in bursts: the link carries more than the stream needs.
  if (delivery.arrivedKbps(STEP_SECONDS) >= delivery.codedKbps(CAUSE_SECONDS)) return 'none';
  // Frames that come slowly whatever their size do not wait for a link: an encoder or a source that is too slow.
  return delivery.sizePaced(CAUSE_SECONDS) >= CAUSES.sizePaced.value ? 'uplink' : 'none';
}

/** Video frames are missing. With the audio whole, they were lost before sending: in a full queue, or never encoded. */
function byMissingFrames({ delivery, audio }: StreamFacts, ratio: number): Cause | 'none' {
  if (!audio.clock.started || delivery.audioGaps(CAUSE_SECONDS) > 0) return 'none';
  const lagMs = delivery.largestLagMs(CAUSE_SECONDS);
  if (lagMs >= CAUSES.queueLagMs.value) return 'sender drops';
  return lagMs < CAUSES.noLagMs.value && ratio >= CAUSES.ratio.value ? 'overloaded' : 'none';
}

/** The bitrate before the encoder lowered it; NaN if it did not. */
export function bitrateBefore(delivery: DeliveryFacts): number {
  if (delivery.lagMs >= CAUSES.noLagMs.value) return Number.NaN;
  const nowKbps = delivery.codedKbps(STEP_SECONDS);
  const nowQp = delivery.meanQp(STEP_SECONDS);
  for (const back of STEPS_BACK) {
    const kbps = delivery.codedKbps(CAUSE_SECONDS, back);
    if (!(nowKbps < CAUSES.stepRatio.value * kbps)) continue;
    if (!(nowQp - delivery.meanQp(CAUSE_SECONDS, back) >= CAUSES.qpRise.value)) continue;
    if (delivery.largestLagMs(back + CAUSE_SECONDS) >= CAUSES.noLagMs.value) return kbps;
  }
  return Number.NaN;
}

/** Share of the video frames that the send queue dropped. */
export function dropShare({ reported, video }: StreamFacts): number {
  return Number.isNaN(reported.dropped) ? video.rate.missingRatio : reported.dropped;
}

/** Share of the video frames that the encoder skipped. */
export function overloadShare({ reported, video }: StreamFacts): number {
  return Number.isNaN(reported.skipped) ? video.rate.missingRatio : reported.skipped;
}

/** `carried` and `needed` in Mbit/s; `target`: a video bitrate that the uplink carries, absent while it is not known. */
export function uplinkNumbers({ delivery, audio }: StreamFacts): Readonly<Record<string, string>> {
  const carried = delivery.arrivedKbps(STEP_SECONDS);
  const needed = delivery.codedKbps(CAUSE_SECONDS);
  if (Number.isNaN(carried)) return {};
  const audioKbps = Number.isNaN(audio.bitrateKbps) ? 0 : audio.bitrateKbps;
  const target = Math.max(100, Math.round((CAUSES.targetFactor.value * carried - audioKbps) / 100) * 100);
  return {
    carried: megabits(carried),
    needed: megabits(needed),
    target: formatValue(target, 'kbps'),
  };
}

function megabits(kbps: number): string {
  return (kbps / 1000).toFixed(1);
}

/**
 * Re-tuning of a running encoder. OBS 31.1 and newer asks for its settings again when a stream that was live is refused six
 * times in a row: the server lets it go, refuses the settings that it has, and answers its question with the new ones.
 */
import type { LiveVideoData, Retune } from './documents.js';

/** OBS tries six times within 40 s and then asks. One that has not asked by then may come back as it was. */
const REFUSED_MS = 50_000;
/** The encoder is away for about 45 s, so a shorter grace time would end the broadcast. */
const LEAST_GRACE_MS = 60_000;

/** OBS 31.1 and newer. */
const ASKS_AGAIN = /^obs-studio (?:31\.(?!0)\d|3[2-9]\.|[4-9]\d\.|\d{3,}\.)/;

export function retuneOf({ encoderSetup }: LiveVideoData, wallMs: number): Retune | undefined {
  return encoderSetup && { configId: encoderSetup.configId, untilMs: wallMs + REFUSED_MS };
}

/** Why the encoder cannot be re-tuned now; undefined: it can. */
export function whyNotRetuned(data: LiveVideoData, { wallMs, graceMs }: { wallMs: number; graceMs: number }) {
  const { status, stream, encoderSetup, isSetUp = false } = data;
  if (status !== 'LIVE') return `The live video is ${status}; only a LIVE one is re-tuned`;
  if (isRetuning(data, wallMs)) return 'The encoder is being re-tuned already';
  if (stream !== 'connected') return 'No encoder is connected';
  if (!isSetUp || encoderSetup === undefined) return 'The encoder did not get its settings from this server';
  if (!ASKS_AGAIN.test(encoderSetup.client)) {
    return `${encoderSetup.client || 'The encoder'} does not ask again; OBS 31.1 or newer does`;
  }
  if (graceMs < LEAST_GRACE_MS) {
    return `The encoder needs about 45 s, and the broadcast would end after ${graceMs / 1000} s (reconnect grace time)`;
  }
  return undefined;
}

export function isRetuning({ retune }: LiveVideoData, wallMs: number): boolean {
  return retune !== undefined && wallMs < retune.untilMs;
}

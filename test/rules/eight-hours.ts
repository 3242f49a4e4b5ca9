/** Broadcasts of hours with few messages. */
import { type SynthMessage, type SynthOptions, synthStream } from '../support/synth-stream.js';

/** One frame per second and few audio frames; the bitrate is below its range throughout. */
export const LIGHT: SynthOptions = {
  fps: 1,
  videoKbps: 100,
  audioKbps: 64,
  // The lowest with the scale factor bands of the frames of `synthStream`.
  sampleRate: 22_050,
  keyFrameIntervalMs: 2000,
};

/** A minimal broadcast of the given length in ms: one key frame and some audio per second, no metadata. */

export function* newSlices(durationMs: number): Generator<SynthMessage> {
  const sample = [...synthStream({ durationMs: 100, metadata: false, videoKbps: 50 })];
  const headers = sample.slice(0, 2);
  const key = sample.find(({ kind, payload }) => kind === 'video' && payload[1] === 1) as SynthMessage;
  // Two that differ, since equal ones in a row are a sound that is stuck.
  const sounds = sample.filter(({ kind, payload }) => kind === 'audio' && payload[1] === 1).slice(0, 2);
  yield* headers;
  for (let timestampMs = 0; ; timestampMs = Math.min(durationMs, timestampMs + 1000)) {
    yield { ...key, timestampMs };
    yield { ...(sounds[(timestampMs / 1000) & 1] as SynthMessage), timestampMs };
    if (timestampMs === durationMs) return;
  }
}

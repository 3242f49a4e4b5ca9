/** A minimal broadcast of the given length in ms: one key frame and some audio per second, no metadata. */
import { type SynthMessage, synthStream } from '../support/synth-stream.js';

export function* newSlices(durationMs: number): Generator<SynthMessage> {
  const sample = [...synthStream({ durationMs: 100, metadata: false, videoKbps: 50 })];
  const headers = sample.slice(0, 2);
  const key = sample.find(({ kind, payload }) => kind === 'video' && payload[1] === 1) as SynthMessage;
  const sound = sample.find(({ kind, payload }) => kind === 'audio' && payload[1] === 1) as SynthMessage;
  yield* headers;
  for (let timestampMs = 0; ; timestampMs = Math.min(durationMs, timestampMs + 1000)) {
    yield { ...key, timestampMs };
    yield { ...sound, timestampMs };
    if (timestampMs === durationMs) return;
  }
}

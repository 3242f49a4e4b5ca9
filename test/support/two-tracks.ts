/** A stream of two video tracks as OBS sends it: track 0 in FLV's own form, track 1 in the multitrack form of Enhanced RTMP. */
import { concat } from './bit-writer.js';
import { enhancedVideo } from './flv-writer.js';
import { type SynthFrame, type SynthMessage, type SynthOptions, synthStream } from './synth-stream.js';

const FLV_HEADER_BYTES = 5;

/** `shiftMs` moves the second track against the first. */
export function* twoTracks(
  first: SynthOptions,
  second: SynthOptions,
  { shiftMs = 0, trackId = 1 }: { readonly shiftMs?: number; readonly trackId?: number } = {},
): Generator<SynthMessage> {
  const others = synthStream({
    ...second,
    edit: (frame) => (frame.kind === 'video' ? [inTrack(frame, trackId, shiftMs)] : []),
  })[Symbol.iterator]();
  let next = others.next();
  for (const message of synthStream(first)) {
    while (next.done !== true && next.value.timestampMs < message.timestampMs) {
      yield next.value;
      next = others.next();
    }
    yield message;
  }
  for (; next.done !== true; next = others.next()) yield next.value;
}

function inTrack(frame: SynthFrame, trackId: number, shiftMs: number): SynthFrame {
  const key = frame.role !== 'interFrame';
  const isConfig = frame.role === 'config';
  const time = frame.payload.subarray(2, FLV_HEADER_BYTES);
  const isInOrder = time.every((byte) => byte === 0);
  const data = frame.payload.subarray(FLV_HEADER_BYTES);
  // OBS leaves the composition time out where it is 0.
  const type = isConfig ? 'sequenceStart' : isInOrder ? 'codedFramesX' : 'codedFrames';
  const body = isConfig || isInOrder ? data : concat(time, data);
  const payload = enhancedVideo('avc1', type, body, { key, multitrack: { kind: 0, tracks: [{ trackId, body }] } });
  return { ...frame, timestampMs: frame.timestampMs + shiftMs, payload };
}

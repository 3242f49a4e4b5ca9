/** Messages of legacy FLV put into the forms of Enhanced RTMP, and what tells them apart. */
import {
  type EnhancedTrack,
  enhancedAudio,
  enhancedVideo,
  nanosecondOffset,
  withCompositionTime,
} from './flv-writer.js';
import type { SynthMessage } from './synth-stream.js';

export interface EnhancedForm {
  /** Multitrack framing of this kind, with this many tracks. */
  readonly multitrack?: 0 | 1 | 2;
  readonly tracks?: number;
  /** Behind a nanosecond offset (ModEx). */
  readonly nanoseconds?: number;
  /** CodedFramesX: no composition time. */
  readonly x?: boolean;
}

/** Legacy sequence headers of AVC and AAC, and enhanced ones. */
export function isHeader({ kind, payload }: SynthMessage): boolean {
  const [first = 0, second] = payload;
  if (kind === 'video') return first >= 0x80 ? (first & 0x0f) === 0 : (first & 0x0f) === 7 && second === 0;
  if (kind === 'audio') return first >> 4 === 9 ? (first & 0x0f) === 0 : first >> 4 === 10 && second === 0;
  return false;
}

export function isKeyFrame(message: SynthMessage): boolean {
  const first = message.payload[0] ?? 0;
  return message.kind === 'video' && ((first >> 4) & 7) === 1 && !isHeader(message);
}

/** The body in its enhanced form. */
export function enhance(message: SynthMessage, what: EnhancedForm): Uint8Array {
  const { payload, kind } = message;
  const modEx = what.nanoseconds === undefined ? [] : [nanosecondOffset(what.nanoseconds)];
  const header = isHeader(message);
  const kindOf = what.multitrack;
  if (kind === 'audio') {
    const type = header ? 'sequenceStart' : 'codedFrames';
    const data = payload.subarray(2);
    const multitrack = kindOf === undefined ? {} : { multitrack: { kind: kindOf, tracks: tracks(what, 'mp4a', data) } };
    return enhancedAudio('mp4a', type, data, { modEx, ...multitrack });
  }
  const key = isKeyFrame(message) || header;
  const nals = payload.subarray(5);
  if (header) {
    const multitrack = kindOf === undefined ? {} : { multitrack: { kind: kindOf, tracks: tracks(what, 'avc1', nals) } };
    return enhancedVideo('avc1', 'sequenceStart', nals, { key, modEx, ...multitrack });
  }
  if (what.x === true) return enhancedVideo('avc1', 'codedFramesX', nals, { key, modEx });
  const multitrack =
    kindOf === undefined
      ? {}
      : { multitrack: { kind: kindOf, tracks: tracks(what, 'avc1', withCompositionTime(0, nals)) } };
  return enhancedVideo('avc1', 'codedFrames', nals, { key, modEx, ...multitrack });
}

/** The same picture once more, as another track in multitrack framing. */
export function besideBody(message: SynthMessage, trackId: number): Uint8Array {
  const header = isHeader(message);
  const nals = message.payload.subarray(5);
  const body = header ? nals : withCompositionTime(0, nals);
  const options = { key: header || isKeyFrame(message), multitrack: { kind: 0, tracks: [{ trackId, body }] } };
  return enhancedVideo('avc1', header ? 'sequenceStart' : 'codedFrames', nals, options);
}

function tracks(what: EnhancedForm, fourCc: string, body: Uint8Array): EnhancedTrack[] {
  const count = what.multitrack === 0 ? 1 : (what.tracks ?? 2);
  return Array.from({ length: count }, (_, trackId) => ({ trackId, body, fourCc }));
}

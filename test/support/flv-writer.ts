/**
 * Builds the bodies of FLV tags, which are also the bodies of RTMP audio, video and data messages: legacy and Enhanced RTMP.
 *
 *   avcSequenceHeader(buildAvcc())            aacSequenceHeader(buildAsc())
 *   avcFrame(nals, { key: true, cts: 33 })    aacFrame(bytes)
 *   enhancedVideo('hvc1', 'codedFrames', body, { key: true })
 */
import type { TagHead } from '../../src/media/flv/tag-head.js';
import { concat } from './bit-writer.js';

function u24(value: number): Uint8Array {
  return Uint8Array.of((value >> 16) & 255, (value >> 8) & 255, value & 255);
}

function fourCcBytes(fourCc: string): Uint8Array {
  return Uint8Array.from(fourCc, (char) => char.charCodeAt(0));
}

/** Legacy video body: frame type, codec id, then whatever follows. */
export function legacyVideo(frameType: number, codecId: number, ...rest: readonly Uint8Array[]): Uint8Array {
  return concat(Uint8Array.of((frameType << 4) | codecId), ...rest);
}

export function avcSequenceHeader(avcc: Uint8Array, codecId = 7): Uint8Array {
  return legacyVideo(1, codecId, Uint8Array.of(0), u24(0), avcc);
}

export interface FrameOptions {
  key?: boolean;
  /** Composition time, milliseconds, may be negative. */
  cts?: number;
  /** 7 is AVC, 12 unofficially HEVC. */
  codecId?: number;
  /** Overrides the frame type that `key` means (1 or 2). */
  frameType?: number;
}

/** A coded frame of length-prefixed NAL units. */
export function avcFrame(nalUnits: Uint8Array, options: FrameOptions = {}): Uint8Array {
  const frameType = options.frameType ?? (options.key ? 1 : 2);
  return legacyVideo(frameType, options.codecId ?? 7, Uint8Array.of(1), u24(options.cts ?? 0), nalUnits);
}

export function avcEndOfSequence(): Uint8Array {
  return legacyVideo(1, 7, Uint8Array.of(2), u24(0));
}

/** The info/command frame that seeking Flash servers send. */
export function videoCommandFrame(command = 0, codecId = 7): Uint8Array {
  return legacyVideo(5, codecId, Uint8Array.of(command));
}

/** Legacy audio body. */
export function legacyAudio(soundFormat: number, data: Uint8Array, lowBits = 0x0f): Uint8Array {
  return concat(Uint8Array.of((soundFormat << 4) | lowBits), data);
}

export function aacSequenceHeader(asc: Uint8Array, lowBits = 0x0f): Uint8Array {
  return legacyAudio(10, concat(Uint8Array.of(0), asc), lowBits);
}

export function aacFrame(data: Uint8Array, lowBits = 0x0f): Uint8Array {
  return legacyAudio(10, concat(Uint8Array.of(1), data), lowBits);
}

const VIDEO_TYPES = {
  sequenceStart: 0,
  codedFrames: 1,
  sequenceEnd: 2,
  codedFramesX: 3,
  metadata: 4,
  mpeg2tsSequenceStart: 5,
} as const;
const AUDIO_TYPES = { sequenceStart: 0, codedFrames: 1, sequenceEnd: 2, multichannelConfig: 4 } as const;
export type EnhancedVideoType = keyof typeof VIDEO_TYPES;
export type EnhancedAudioType = keyof typeof AUDIO_TYPES;

export interface ModEx {
  /** 0: nanosecond offset, 3 bytes. */
  type: number;
  data: Uint8Array;
}

export interface EnhancedTrack {
  trackId: number;
  body: Uint8Array;
  /** For kind 2, where each track has its own codec. */
  fourCc?: string;
}

export interface EnhancedOptions {
  key?: boolean;
  frameType?: number;
  /** Composition time, written for codedFrames of avc1, hvc1 and vvc1. */
  cts?: number;
  modEx?: readonly ModEx[];
  /** Kind 0 one track, 1 many tracks, 2 many tracks and codecs; `body` is then not used. */
  multitrack?: { kind: number; tracks: readonly EnhancedTrack[] };
}

export function nanosecondOffset(nanoseconds: number): ModEx {
  return { type: 0, data: u24(nanoseconds) };
}

/** An enhanced video body. With `multitrack`, each track's body must hold its own composition time where the codec has one. */
export function enhancedVideo(
  fourCc: string,
  type: EnhancedVideoType,
  body: Uint8Array = new Uint8Array(0),
  options: EnhancedOptions = {},
): Uint8Array {
  const frameType = options.frameType ?? (options.key ? 1 : 2);
  const withTime = type === 'codedFrames' && ['avc1', 'hvc1', 'vvc1'].includes(fourCc) && !options.multitrack;
  const payload = withTime ? concat(u24(options.cts ?? 0), body) : body;
  return enhanced(0x80 | (frameType << 4), VIDEO_TYPES[type], 6, fourCc, payload, options);
}

/** An enhanced audio body. */
export function enhancedAudio(
  fourCc: string,
  type: EnhancedAudioType,
  body: Uint8Array = new Uint8Array(0),
  options: EnhancedOptions = {},
): Uint8Array {
  return enhanced(0x90, AUDIO_TYPES[type], 5, fourCc, body, options);
}

function enhanced(
  highBits: number,
  packetType: number,
  multitrackType: number,
  fourCc: string,
  body: Uint8Array,
  options: EnhancedOptions,
): Uint8Array {
  const { modEx = [], multitrack } = options;
  const outerType = multitrack ? multitrackType : packetType;
  const parts: Uint8Array[] = [Uint8Array.of(highBits | (modEx.length > 0 ? 7 : outerType))];
  modEx.forEach((entry, i) => {
    const size = entry.data.length;
    const sizeBytes = size < 256 ? Uint8Array.of(size - 1) : Uint8Array.of(255, (size - 1) >> 8, (size - 1) & 255);
    const next = i + 1 < modEx.length ? 7 : outerType;
    parts.push(sizeBytes, entry.data, Uint8Array.of((entry.type << 4) | next));
  });
  if (!multitrack) return concat(...parts, fourCcBytes(fourCc), body);
  parts.push(Uint8Array.of((multitrack.kind << 4) | packetType));
  if (multitrack.kind !== 2) parts.push(fourCcBytes(fourCc));
  for (const track of multitrack.tracks) {
    if (multitrack.kind === 2) parts.push(fourCcBytes(track.fourCc ?? fourCc));
    parts.push(Uint8Array.of(track.trackId));
    if (multitrack.kind !== 0) parts.push(u24(track.body.length));
    parts.push(track.body);
  }
  return concat(...parts);
}

/** Composition time and body, for the tracks of a multitrack `codedFrames` message. */
export function withCompositionTime(cts: number, body: Uint8Array): Uint8Array {
  return concat(u24(cts), body);
}

export type MetadataValue = number | boolean | string;

/** A data message: optionally "@setDataFrame", then "onMetaData", then the values as an ECMA array. */
export function onMetaData(values: Readonly<Record<string, MetadataValue>>, setDataFrame = true): Uint8Array {
  const parts: Uint8Array[] = [];
  if (setDataFrame) parts.push(amfString('@setDataFrame'));
  const entries = Object.entries(values);
  parts.push(amfString('onMetaData'), Uint8Array.of(8, 0, 0, entries.length >> 8, entries.length & 255));
  for (const [key, value] of entries) parts.push(amfText(key), amfValue(value));
  parts.push(Uint8Array.of(0, 0, 9));
  return concat(...parts);
}

function amfText(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  return concat(Uint8Array.of(bytes.length >> 8, bytes.length & 255), bytes);
}

function amfString(text: string): Uint8Array {
  return concat(Uint8Array.of(2), amfText(text));
}

function amfValue(value: MetadataValue): Uint8Array {
  if (typeof value === 'string') return amfString(value);
  if (typeof value === 'boolean') return Uint8Array.of(1, value ? 1 : 0);
  const out = new Uint8Array(9);
  new DataView(out.buffer).setFloat64(1, value);
  return out;
}

const TAG_TYPES = { audio: 8, video: 9, data: 18 } as const;

/** A whole FLV file of messages as `synthStream` gives them; "@setDataFrame" is taken off, as recorders do. */
export function flvFile(
  messages: Iterable<{ kind: 'video' | 'audio' | 'data'; timestampMs: number; payload: Uint8Array }>,
): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 9, 0, 0, 0, 0)];
  const setDataFrame = amfString('@setDataFrame');
  for (const { kind, timestampMs, payload } of messages) {
    const wrapped = kind === 'data' && setDataFrame.every((byte, i) => byte === payload[i]);
    const body = wrapped ? payload.subarray(setDataFrame.length) : payload;
    const size = 11 + body.length;
    const time = timestampMs >>> 0;
    parts.push(
      concat(
        Uint8Array.of(TAG_TYPES[kind]),
        u24(body.length),
        u24(time & 0xffffff),
        Uint8Array.of(time >>> 24),
        u24(0),
      ),
      body,
      Uint8Array.of(size >>> 24, (size >>> 16) & 255, (size >>> 8) & 255, size & 255),
    );
  }
  return concat(...parts);
}

/** The first `seen` bytes of a tag's body, as a reader of files has them. */
export function headOf(kind: TagHead['kind'], body: Uint8Array, seen = body.length, timestampMs = 40): TagHead {
  return { kind, timestampMs, bytes: body.subarray(0, seen), from: 0, to: seen, size: body.length, byteOffset: 0 };
}

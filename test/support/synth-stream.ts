/**
 * Makes timed streams as an encoder would send them: onMetaData, sequence headers, then audio and video in order of
 * time, with real headers and filling for pictures and sound. For rule tests, byte-level publishers and fixtures.
 *
 *   for (const message of synthStream({ width: 1920, height: 1080, levelIdc: 40, videoKbps: 4500 })) …
 *   synthStream({ keyFrameIntervalMs: 6000, durationMs: 20_000 })                   // breaks 6208
 *   synthStream({ changes: [{ atMs: 5000, width: 640, height: 360 }] })             // breaks 6403 at 5 s
 *   synthStream({ edit: (m) => (m.kind === 'audio' && m.atMs > 3000 ? [] : [m]) })  // audio stops at 3 s
 *
 * It is a generator and repeats payload buffers of equal size (do not write into them): eight hours take seconds and
 * little memory. Mean bitrates are exact to the byte over whole GOPs (video) and whole seconds (audio); the video rate
 * counts what `VideoPacket.payloadBytes` counts, so everything behind the 5 bytes of FLV header.
 */
import { type AscFields, buildAsc, toneFrame } from './aac-writer.js';
import {
  aacFrame,
  aacSequenceHeader,
  avcFrame,
  avcSequenceHeader,
  enhancedAudio,
  enhancedVideo,
  type MetadataValue,
  onMetaData,
} from './flv-writer.js';
import { buildAvcc, buildPps, buildSps, filler, lengthPrefixed, type SpsFields, slice } from './h264-writer.js';

export interface SynthMessage {
  kind: 'video' | 'audio' | 'data';
  /** Decode time as RTMP carries it: milliseconds modulo 2^32. */
  timestampMs: number;
  payload: Uint8Array;
}

/** A message with what `edit` may want to know of it. */
export interface SynthFrame extends SynthMessage {
  /** 'config' for onMetaData and sequence headers. */
  role: 'config' | 'keyFrame' | 'interFrame' | 'audioFrame';
  /** Time since the first message, not wrapped and not rounded. */
  atMs: number;
  /** Counts coded frames of this kind from 0. */
  index: number;
}

/** What an encoder is set to. These may change in mid-stream through `changes`. */
export interface SynthSettings {
  width: number;
  height: number;
  /** 31 is level 3.1. */
  levelIdc: number;
  /** 66 Baseline, 77 Main, 100 High. */
  profileIdc: number;
  /** Further SPS fields: VUI, chroma format, interlace … */
  sps: SpsFields;
  fps: number;
  keyFrameIntervalMs: number;
  videoKbps: number;
  /** How many times larger than an inter frame a key frame is. */
  keyFrameWeight: number;
  /** Part of each frame that is filler data NAL units, 0 to below 1, as strict CBR sends. */
  fillerShare: number;
  /** B pictures between P pictures: sets composition times and slice types. */
  bFrames: number;
  /** 'nonIdr' flags key frames but writes I slices that are no IDR; with `seiRecoveryPoint()` in `keyFrameNals` that is an open GOP. */
  keyFrameKind: 'idr' | 'nonIdr';
  /** NAL units put before the slices of each key frame: SEI, SPS and PPS in band, access unit delimiters. */
  keyFrameNals: readonly Uint8Array[];
  nalLengthSize: number;
  /** Slices of each picture. */
  slices: number;
  /** A FourCC: 'avc1' gives real H.264 headers; any other gives that codec's packets with filling. */
  videoCodec: string;
  audioCodec: string;
  /** Enhanced RTMP framing. Always on for codecs that FLV has no number for. */
  enhanced: boolean;
  audioKbps: number;
  sampleRate: number;
  channels: number;
  /** Further AudioSpecificConfig fields: object type, SBR signaling … */
  asc: AscFields;
}

export interface SynthOptions extends Partial<SynthSettings> {
  durationMs?: number;
  /** Timestamp of the first message; may lie just below 2^24 or 2^32. */
  startMs?: number;
  /** false leaves the track out. */
  video?: boolean;
  audio?: boolean;
  /** Values over those of the settings; false sends no onMetaData. */
  metadata?: Readonly<Record<string, MetadataValue>> | false;
  /** Settings from a time on: new sequence headers (and a key frame for video) are sent there. */
  changes?: readonly ({ atMs: number } & Partial<SynthSettings>)[];
  /** Last word on each message: give back what is to be sent in its place. */
  edit?: (frame: SynthFrame) => readonly SynthMessage[];
}

/** Passes every rule: 720p30, level 3.1, 2.5 Mbit/s, a key frame every 2 s, AAC LC 48 kHz stereo 128 kbit/s. */
export const DEFAULT_SETTINGS: SynthSettings = {
  width: 1280,
  height: 720,
  levelIdc: 31,
  profileIdc: 100,
  sps: {},
  fps: 30,
  keyFrameIntervalMs: 2000,
  videoKbps: 2500,
  keyFrameWeight: 5,
  fillerShare: 0,
  bFrames: 0,
  keyFrameKind: 'idr',
  keyFrameNals: [],
  nalLengthSize: 4,
  slices: 1,
  videoCodec: 'avc1',
  audioCodec: 'mp4a',
  enhanced: false,
  audioKbps: 128,
  sampleRate: 48_000,
  channels: 2,
  asc: {},
};

const SAMPLES_A_FRAME = 1024;

/** The stream as messages in order of decode time; video goes first where times are equal. */
export function* synthStream(options: SynthOptions = {}): Generator<SynthMessage> {
  const { durationMs = 10_000, startMs = 0, edit } = options;
  for (const frame of frames(options, durationMs)) {
    const message = { ...frame, timestampMs: (Math.round(frame.atMs) + startMs) % 2 ** 32 };
    if (edit) yield* edit(message);
    else yield message;
  }
}

type Untimed = Omit<SynthFrame, 'timestampMs'>;

function* frames(options: SynthOptions, durationMs: number): Generator<Untimed> {
  const settings: SynthSettings = { ...DEFAULT_SETTINGS, ...definedSettings(options) };
  const changes = [...(options.changes ?? [])].sort((a, b) => a.atMs - b.atMs);
  if (options.metadata !== false) {
    const values = { ...describe(settings, options), ...options.metadata };
    yield { kind: 'data', role: 'config', atMs: 0, index: 0, payload: onMetaData(values) };
  }
  const video = options.video === false ? undefined : new VideoSynth(settings);
  const audio = options.audio === false ? undefined : new AudioSynth(settings);
  if (video) yield video.header(0);
  if (audio) yield audio.header(0);
  for (;;) {
    const nextAt = Math.min(video?.nextAtMs ?? Infinity, audio?.nextAtMs ?? Infinity);
    if (nextAt >= durationMs) return;
    const change = changes[0];
    if (change && change.atMs <= nextAt) {
      changes.shift();
      const { atMs, ...changed } = change;
      video?.rebase();
      Object.assign(settings, changed);
      if (video && touches(changed, VIDEO_KEYS)) yield video.restart(atMs);
      if (audio && touches(changed, AUDIO_KEYS)) yield audio.header(atMs);
      continue;
    }
    if (video && video.nextAtMs === nextAt) yield video.frame();
    else if (audio) yield audio.frame();
  }
}

const AUDIO_KEYS: readonly (keyof SynthSettings)[] = ['audioCodec', 'sampleRate', 'channels', 'asc', 'enhanced'];
const VIDEO_KEYS: readonly (keyof SynthSettings)[] = [
  'width',
  'height',
  'levelIdc',
  'profileIdc',
  'sps',
  'nalLengthSize',
  'videoCodec',
  'enhanced',
];

function touches(changed: Partial<SynthSettings>, keys: readonly (keyof SynthSettings)[]): boolean {
  return keys.some((key) => key in changed);
}

function definedSettings(options: SynthOptions): Partial<SynthSettings> {
  const known = Object.entries(options).filter(([key, value]) => key in DEFAULT_SETTINGS && value !== undefined);
  return Object.fromEntries(known);
}

class VideoSynth {
  readonly #settings: SynthSettings;
  readonly #cache = new Map<string, Uint8Array>();
  #firstAtMs = 0;
  /** Frames since `#firstAtMs`, and since the last key frame. */
  #count = 0;
  #sinceKey = 0;
  #index = 0;
  /** Bytes that rounding held back. */
  #carry = 0;

  constructor(settings: SynthSettings) {
    this.#settings = settings;
  }

  get nextAtMs(): number {
    return this.#firstAtMs + (this.#count * 1000) / this.#settings.fps;
  }

  /** Counts time from here on, so that another frame rate does not move the past. */
  rebase(): void {
    this.#firstAtMs = this.nextAtMs;
    this.#count = 0;
  }

  /** New settings: a sequence header, and the next frame is a key frame, due at once. */
  restart(atMs: number): Untimed {
    this.#cache.clear();
    this.#sinceKey = 0;
    return this.header(atMs);
  }

  header(atMs: number): Untimed {
    const s = this.#settings;
    const avcc = buildAvcc({
      sps: [buildSps({ width: s.width, height: s.height, levelIdc: s.levelIdc, profileIdc: s.profileIdc, ...s.sps })],
      pps: [buildPps({ cabac: s.profileIdc !== 66 })],
      nalLengthSize: s.nalLengthSize,
    });
    const record = s.videoCodec === 'avc1' ? avcc : new Uint8Array(24).fill(1);
    const payload = this.#enhanced()
      ? enhancedVideo(s.videoCodec, 'sequenceStart', record, { key: true })
      : avcSequenceHeader(record);
    return { kind: 'video', role: 'config', atMs, index: 0, payload };
  }

  frame(): Untimed {
    const s = this.#settings;
    const atMs = this.nextAtMs;
    const gop = Math.max(1, Math.round((s.keyFrameIntervalMs * s.fps) / 1000));
    const place = this.#sinceKey;
    const key = place === 0;
    const gopBytes = (s.videoKbps * 125 * gop) / s.fps;
    const wanted = (gopBytes * (key ? s.keyFrameWeight : 1)) / (gop - 1 + s.keyFrameWeight) + this.#carry;
    const { cts, sliceType } = this.#order(key, place, gop);
    const payload = this.#payload(key, cts, sliceType, Math.floor(wanted));
    const sent = payload.length - (this.#enhanced() && !this.#hasCompositionTime() ? 5 : this.#enhanced() ? 8 : 5);
    this.#carry = wanted - sent;
    this.#sinceKey = place + 1 === gop ? 0 : place + 1;
    this.#count++;
    return { kind: 'video', role: key ? 'keyFrame' : 'interFrame', atMs, index: this.#index++, payload };
  }

  /** With b B pictures, decode order is I P B..B P B..B: a P picture is shown b + 1 frame times after its decode time, a B picture at once. */
  #order(key: boolean, place: number, gop: number): { cts: number; sliceType: 'I' | 'P' | 'B' } {
    const { bFrames, fps } = this.#settings;
    if (key) return { cts: bFrames > 0 ? Math.round(1000 / fps) : 0, sliceType: 'I' };
    const isP = bFrames === 0 || (place - 1) % (bFrames + 1) === 0;
    return {
      cts: isP && bFrames > 0 ? Math.round(((Math.min(bFrames, gop - place - 1) + 1) * 1000) / fps) : 0,
      sliceType: isP ? 'P' : 'B',
    };
  }

  #payload(key: boolean, cts: number, sliceType: 'I' | 'P' | 'B', size: number): Uint8Array {
    const name = `${key} ${cts} ${sliceType} ${size}`;
    const known = this.#cache.get(name);
    if (known) return known;
    const s = this.#settings;
    const body =
      s.videoCodec === 'avc1' ? this.#nalUnits(key, sliceType, size) : new Uint8Array(Math.max(1, size)).fill(0xa5);
    const payload = this.#enhanced()
      ? enhancedVideo(s.videoCodec, 'codedFrames', body, { key, cts })
      : avcFrame(body, { key, cts });
    this.#cache.set(name, payload);
    return payload;
  }

  #nalUnits(key: boolean, sliceType: 'I' | 'P' | 'B', size: number): Uint8Array {
    const s = this.#settings;
    const nals = key ? [...s.keyFrameNals] : [];
    const lengthSize = s.nalLengthSize;
    let left = size - nals.reduce((sum, nal) => sum + lengthSize + nal.length, 0);
    const fillerBytes = s.fillerShare > 0 ? Math.floor(left * s.fillerShare) : 0;
    const withFiller = fillerBytes > lengthSize + 2;
    if (withFiller) left -= fillerBytes;
    // A length field of one byte holds NAL units of 255 bytes.
    const slices = Math.max(s.slices, lengthSize === 1 ? 8 : 1);
    const longest = Math.min(2 ** (8 * lengthSize) - 1, left - lengthSize);
    const largest = Math.min(longest, Math.ceil(left / s.slices) - lengthSize);
    const fieldPic = s.sps.frameMbsOnly === false ? { fieldPic: false } : {};
    const idr = key && s.keyFrameKind === 'idr';
    for (let firstMb = 0; left > 0 && firstMb < slices; firstMb++) {
      const bytes = Math.max(MIN_SLICE_BYTES, Math.min(largest, left - lengthSize));
      nals.push(
        slice({ idr, sliceType, size: bytes, firstMb, log2MaxFrameNum: s.sps.log2MaxFrameNum ?? 4, ...fieldPic }),
      );
      left -= bytes + lengthSize;
      if (left < MIN_SLICE_BYTES + lengthSize) break;
    }
    // The rest of a picture that its slices cannot hold.
    for (; left >= MIN_SLICE_BYTES + lengthSize; left -= Math.min(largest, left - lengthSize) + lengthSize) {
      nals.push(filler(Math.min(largest, left - lengthSize)));
    }
    if (withFiller) nals.push(filler(fillerBytes - lengthSize));
    return lengthPrefixed(nals, lengthSize);
  }

  #enhanced(): boolean {
    return this.#settings.enhanced || this.#settings.videoCodec !== 'avc1';
  }

  #hasCompositionTime(): boolean {
    return ['avc1', 'hvc1', 'vvc1'].includes(this.#settings.videoCodec);
  }
}

const MIN_SLICE_BYTES = 8;

class AudioSynth {
  readonly #settings: SynthSettings;
  readonly #cache = new Map<number, Uint8Array>();
  #atMs = 0;
  #index = 0;
  #carry = 0;

  constructor(settings: SynthSettings) {
    this.#settings = settings;
  }

  get nextAtMs(): number {
    return this.#atMs;
  }

  header(atMs: number): Untimed {
    const s = this.#settings;
    this.#cache.clear();
    const channelConfiguration = s.channels === 8 ? 7 : s.channels;
    const asc = buildAsc({ sampleRate: s.sampleRate, channelConfiguration, ...s.asc });
    const record = s.audioCodec === 'mp4a' ? asc : new Uint8Array(19).fill(1);
    const payload = this.#enhanced() ? enhancedAudio(s.audioCodec, 'sequenceStart', record) : aacSequenceHeader(record);
    return { kind: 'audio', role: 'config', atMs, index: 0, payload };
  }

  frame(): Untimed {
    const s = this.#settings;
    const wanted = (s.audioKbps * 125 * SAMPLES_A_FRAME) / s.sampleRate + this.#carry;
    const size = Math.max(1, Math.floor(wanted));
    this.#carry = wanted - size;
    // Two frames in a row differ, so that the sound is not stuck.
    const isNegative = this.#index % 2 === 1;
    const key = isNegative ? -size : size;
    let payload = this.#cache.get(key);
    if (!payload) {
      const data =
        s.audioCodec === 'mp4a'
          ? toneFrame(s.asc?.channelConfiguration || s.channels, size, { isNegative })
          : new Uint8Array(size).fill(0x21);
      payload = this.#enhanced() ? enhancedAudio(s.audioCodec, 'codedFrames', data) : aacFrame(data);
      this.#cache.set(key, payload);
    }
    const frame: Untimed = { kind: 'audio', role: 'audioFrame', atMs: this.#atMs, index: this.#index++, payload };
    this.#atMs += (SAMPLES_A_FRAME * 1000) / s.sampleRate;
    return frame;
  }

  #enhanced(): boolean {
    return this.#settings.enhanced || this.#settings.audioCodec !== 'mp4a';
  }
}

/** onMetaData as encoders fill it in. */
function describe(settings: SynthSettings, options: SynthOptions): Record<string, MetadataValue> {
  const video = {
    width: settings.width,
    height: settings.height,
    framerate: settings.fps,
    videocodecid: settings.videoCodec === 'avc1' ? 7 : settings.videoCodec,
    videodatarate: settings.videoKbps,
  };
  const audio = {
    audiocodecid: settings.audioCodec === 'mp4a' ? 10 : settings.audioCodec,
    audiodatarate: settings.audioKbps,
    audiosamplerate: settings.sampleRate,
    audiosamplesize: 16,
    audiochannels: settings.channels,
    stereo: settings.channels === 2,
  };
  return {
    ...(options.video === false ? {} : video),
    ...(options.audio === false ? {} : audio),
    encoder: 'Lavf59.27.100',
  };
}

/** Reads MPEG transport streams (ISO/IEC 13818-1): TS, M2TS, MTS. */
import { WireError } from '../../bytes/wire-error.js';
import { type AudioSpecificConfig, parseAudioSpecificConfig } from '../../media/aac/audio-specific-config.js';
import { detailsOf } from '../source/codec-details.js';
import { cut, type Frame, isReadable, newFrame, type Reader, type SourceTrack } from '../source/media-file.js';
import type { SourceReader } from '../source/source-reader.js';
import { accessUnitsOf, appendNals, avccOf } from './annex-b.js';
import { type AudioFrame, AudioFrames } from './audio-frames.js';
import { isKeyPicture } from './key-pictures.js';
import { type Layout, PacketReader, TIMED_BYTES } from './packets.js';
import { type Pes, PesAssembler } from './pes.js';
import { type SequencePicture, sequencePicture } from './sequence-header.js';
import { PRIVATE_SOUND, type ProgramStream, ProgramTables } from './tables.js';
import { addSamples, Joined, TICKS_PER_SECOND, Unwrap } from './times.js';

/** Tables, settings and first times lie within so many bytes (FFmpeg, `probesize`). */
const PROBED_BYTES = 5_000_000;
/** FFmpeg's packets of a stream: how many say whether it is scrambled. */
const LATM_FRAMES = 64;

/** A stream as its first packets show it. */
interface Probed {
  stream: ProgramStream;
  /** Finds frames; undefined where a PES packet is one. */
  frameReader: AudioFrames | undefined;
  firstTime: number | undefined;
  settings: Uint8Array | undefined;
  frame: AudioFrame['head'] | undefined;
  picture: SequencePicture | undefined;
  frames: number;
  clear: number;
  scrambled: number;
}

export class TsReader implements Reader {
  readonly container = 'mpegts';
  readonly encoder = '';
  readonly isEdited = false;
  isEndOpen = false;
  readonly tracks: readonly SourceTrack[];
  readonly startS: number;
  readonly startsS: ReadonlyMap<number, number>;
  readonly #file: SourceReader;
  readonly #layout: Layout;
  readonly #pids: ReadonlyMap<number, SourceTrack>;
  #problem: string | undefined;

  private constructor(file: SourceReader, layout: Layout, probed: readonly Probed[]) {
    this.#file = file;
    this.#layout = layout;
    this.tracks = probed.map(trackOf);
    this.#pids = new Map(probed.flatMap(({ stream }, i) => [[stream.pid, this.tracks[i] as SourceTrack] as const]));
    const starts = probed.flatMap(({ firstTime }, index) =>
      firstTime === undefined ? [] : [[index, firstTime / TICKS_PER_SECOND] as const],
    );
    this.startsS = new Map(starts);
    this.startS = starts.length === 0 ? 0 : Math.min(...this.startsS.values());
  }

  static async open(file: SourceReader, layout: Layout): Promise<TsReader> {
    const { streams } = await readTables(file, layout);
    const probed = streams.map((stream) => newProbed(stream));
    await probe(file, layout, probed);
    return new TsReader(
      file,
      layout,
      probed.filter(({ stream }) => stream.codec !== PRIVATE_SOUND),
    );
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  async *frames(wanted: ReadonlySet<number>): AsyncGenerator<Frame> {
    const unwrap = new Unwrap();
    const readable = this.tracks.filter((track) => wanted.has(track.index) && isReadable(track));
    const starts = readable.flatMap(({ index }) => this.startsS.get(index) ?? []);
    const joined = new Joined(starts.length === 0 ? this.startS : Math.min(...starts));
    const streams = new Map<number, { readonly pes: PesAssembler; readonly frames: StreamFrames | undefined }>();
    for (const [pid, track] of this.#pids) {
      const frames = wanted.has(track.index) ? new StreamFrames(track, unwrap, joined) : undefined;
      streams.set(pid, { pes: new PesAssembler(), frames });
    }
    const packets = new PacketReader(this.#file, this.#layout);
    const { packet } = packets;
    while (packets.next() || ((await packets.load()) && packets.next())) {
      const stream = streams.get(packet.pid);
      if (stream?.frames === undefined) continue;
      const pes = stream.pes.take(packet);
      if (pes !== undefined) yield* stream.frames.take(pes);
    }
    const damaged = [packets.lostAt, ...[...streams.values()].map(({ pes }) => pes.damagedAt)];
    const first = Math.min(...damaged.map((at) => at ?? Number.POSITIVE_INFINITY));
    const cutAt = this.#cutOff(packets.end, streams);
    this.isEndOpen = [...streams.values()].some(({ pes, frames }) => frames?.isClear === true && pes.isEndOpen);
    for (const { pes, frames } of streams.values()) {
      const last = pes.end();
      if (last !== undefined && frames !== undefined) yield* frames.take(last);
      if (frames !== undefined) yield* frames.end();
    }
    this.#problem = cutAt ?? (first === Number.POSITIVE_INFINITY ? undefined : lost(first));
  }

  #cutOff(end: number, streams: ReadonlyMap<number, { readonly pes: PesAssembler }>): string | undefined {
    const { packetBytes } = this.#layout;
    const rest = this.#file.size - (end - (packetBytes === TIMED_BYTES ? 4 : 0));
    if (rest > 0 && rest < packetBytes) return cut('the last packet', packetBytes, rest);
    for (const [pid, { pes }] of streams) {
      const { missing } = pes;
      if (missing !== undefined) return cut(`the last PES packet of track ${pid}`, missing.size, missing.there);
    }
    return undefined;
  }
}

const lost = (at: number): string => `damaged file: packets are missing or damaged (at byte ${at})`;

/** Turns the PES packets of a stream into frames. */
class StreamFrames {
  readonly #track: SourceTrack;
  readonly #unwrap: Unwrap;
  readonly #joined: Joined;
  readonly #frame: Frame;
  readonly #audio: AudioFrames | undefined;
  readonly #rate: number;
  /** A packet of video, which the next one may continue. */
  #pending: Pes | undefined;
  #next: number | undefined;
  /** Mean duration of a picture, from the sum and the number of those that followed each other. */
  #step = 0;
  #between = 0;
  #units = 0;
  #isFirst = true;

  constructor(track: SourceTrack, unwrap: Unwrap, joined: Joined) {
    this.#track = track;
    this.#unwrap = unwrap;
    this.#joined = joined;
    this.#frame = newFrame(track);
    this.#audio = track.kind === 'audio' ? AudioFrames.of(plainName(track.codec)) : undefined;
    this.#rate = rateOf(track);
  }

  get isClear(): boolean {
    return !this.#track.codec.startsWith('encrypted ');
  }

  *take(pes: Pes): Generator<Frame> {
    if (this.#track.kind === 'audio') return yield* this.#sound(pes);
    const pending = this.#pending;
    if (pending !== undefined && pes.presentation === undefined) {
      this.#pending = { ...pending, data: joinedBytes(pending.data, pes.data) };
      return;
    }
    this.#pending = pes;
    if (pending !== undefined) yield* this.#pictures(pending);
  }

  *end(): Generator<Frame> {
    if (this.#pending !== undefined) yield* this.#pictures(this.#pending);
    this.#pending = undefined;
  }

  *#pictures(pes: Pes): Generator<Frame> {
    if (pes.presentation === undefined || pes.decode === undefined) return;
    let decode = this.#unwrap.of(pes.decode);
    let presentation = this.#unwrap.of(pes.presentation);
    const before = this.#next;
    if (this.#track.codec !== 'h264') {
      yield this.#named(decode, presentation, pes, isKeyPicture(this.#track.codec, pes.data));
      this.#next = decode;
      return;
    }
    const units = accessUnitsOf(pes.data);
    for (const { nals, isKey } of units) {
      const frame = this.#timed(decode, presentation, Math.round((this.#step * 1_000_000) / TICKS_PER_SECOND), pes.at);
      frame.isKey = isKey;
      appendNals(frame.data, nals);
      yield frame;
      decode += Math.round(this.#step);
      presentation += Math.round(this.#step);
    }
    const start = this.#unwrap.of(pes.decode);
    // A pause or a jump is not the duration of a frame.
    if (before !== undefined && start > before && start - before < TICKS_PER_SECOND) {
      this.#between += start - before;
      this.#units += Math.max(1, units.length);
      this.#step = this.#between / this.#units;
    }
    this.#next = start;
  }

  *#sound(pes: Pes): Generator<Frame> {
    const time = pes.presentation === undefined ? undefined : this.#unwrap.of(pes.presentation);
    if (this.#audio === undefined) {
      const at = time ?? this.#next;
      if (at !== undefined) yield this.#named(at, at, pes, true);
      this.#next = at;
      return;
    }
    for (const { head, data, time: own } of this.#audio.take(pes.data, time)) {
      const rate = this.#rate || head.rate || TICKS_PER_SECOND;
      const at = own ?? this.#next;
      if (at === undefined) continue;
      this.#next = addSamples(at, head.samples, rate);
      const frame = this.#timed(at, at, Math.floor((head.samples * 1_000_000) / rate), pes.at);
      frame.isKey = true;
      frame.headerBytes = head.headerBytes;
      if (isReadable(this.#track)) {
        frame.data.push(data, 0, data.length);
        if (this.#isFirst) frame.settings = this.#track.settings;
        this.#isFirst = false;
      } else frame.data.pushHole(data.length);
      yield frame;
    }
  }

  #named(decode: number, presentation: number, { data, at }: Pes, isKey: boolean): Frame {
    const frame = this.#timed(decode, presentation, 0, at);
    frame.isKey = isKey;
    if (data.length > 0) frame.data.pushHole(data.length);
    return frame;
  }

  #timed(decode: number, presentation: number, durationUs: number, at: number): Frame {
    const frame = this.#frame;
    this.#joined.take(this.#track.index, decode, durationUs);
    frame.decodeTime = decode + this.#joined.offset;
    frame.presentationTime = presentation + this.#joined.offset;
    frame.duration = (durationUs * TICKS_PER_SECOND) / 1_000_000;
    frame.settings = undefined;
    frame.headerBytes = 0;
    frame.byteOffset = at;
    frame.data.clear();
    return frame;
  }
}

const plainName = (codec: string): string => (codec === 'mp1' || codec === 'mp3' ? 'mp2' : codec);

/** Sample rate by the settings; 0: each frame says it. */
const rateOf = ({ codec, settings }: SourceTrack): number => soundOf(codec, settings)?.sampleRate ?? 0;

function soundOf(codec: string, settings: Uint8Array | undefined): AudioSpecificConfig | undefined {
  if (settings === undefined || (codec !== 'aac' && codec !== 'aac_latm')) return undefined;
  try {
    return parseAudioSpecificConfig(settings);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

function joinedBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
}

async function readTables(file: SourceReader, layout: Layout): Promise<ProgramTables> {
  const tables = new ProgramTables();
  const packets = new PacketReader(file, layout);
  const { packet } = packets;
  while (packets.end < layout.first + PROBED_BYTES && (packets.next() || ((await packets.load()) && packets.next()))) {
    tables.take(packet);
    if (tables.hasPat && tables.missing.size === 0) break;
  }
  return tables;
}

const MPEG_VIDEO = /^mpeg[12]video$/;

const newProbed = (stream: ProgramStream): Probed => ({
  stream,
  frameReader: AudioFrames.of(stream.codec),
  firstTime: undefined,
  settings: undefined,
  frame: undefined,
  picture: undefined,
  frames: 0,
  clear: 0,
  scrambled: 0,
});

/** Reads the start of each stream. */
async function probe(file: SourceReader, layout: Layout, probed: readonly Probed[]): Promise<void> {
  const unwrap = new Unwrap();
  const byPid = new Map(probed.map((each) => [each.stream.pid, { each, pes: new PesAssembler() }]));
  const packets = new PacketReader(file, layout);
  const { packet } = packets;
  while (packets.end < layout.first + PROBED_BYTES && (packets.next() || ((await packets.load()) && packets.next()))) {
    const found = byPid.get(packet.pid);
    if (found === undefined) continue;
    const { each, pes } = found;
    if (packet.hasPayload) each[packet.isScrambled ? 'scrambled' : 'clear']++;
    const ended = pes.take(packet);
    if (ended !== undefined) observe(each, ended, unwrap);
    if (ended !== undefined && probed.every(isProbed)) break;
  }
  for (const { each, pes } of byPid.values()) {
    const ended = pes.end();
    if (ended !== undefined) observe(each, ended, unwrap);
  }
}

function observe(probed: Probed, pes: Pes, unwrap: Unwrap): void {
  if (probed.stream.codec === PRIVATE_SOUND) {
    const codec = AudioFrames.recognize(pes.data);
    if (codec === undefined) return;
    probed.stream = { ...probed.stream, codec };
    probed.frameReader = AudioFrames.of(codec);
  }
  const { stream } = probed;
  if (pes.presentation !== undefined) probed.firstTime ??= unwrap.of(pes.presentation);
  if (stream.codec === 'h264' && probed.settings === undefined) {
    for (const { nals } of accessUnitsOf(pes.data)) probed.settings ??= avccOf(nals);
  }
  if (MPEG_VIDEO.test(stream.codec)) probed.picture ??= sequencePicture(pes.data);
  for (const { head } of probed.frameReader?.take(pes.data, undefined) ?? []) {
    probed.frame ??= head;
    probed.settings ??= probed.frames < LATM_FRAMES ? head.settings : undefined;
    probed.frames++;
  }
}

function isProbed({ stream, frameReader, firstTime, settings, frame, picture, frames }: Probed): boolean {
  if (firstTime === undefined) return false;
  if (stream.codec === 'h264' || stream.codec === 'aac') return settings !== undefined;
  if (MPEG_VIDEO.test(stream.codec)) return picture !== undefined;
  if (stream.codec === 'aac_latm') return settings !== undefined || frames >= LATM_FRAMES;
  return frameReader === undefined || frame !== undefined;
}

function trackOf(probed: Probed, index: number): SourceTrack {
  const { stream, settings, frame, picture, frames, clear, scrambled } = probed;
  const { kind, channels } = stream;
  const plain = frame?.codec ?? stream.codec;
  const isEncrypted = stream.isEncrypted || scrambled > clear;
  const isNoise = plain === 'aac' && frames === 0 && clear > 0;
  const codec = isNoise ? 'encrypted or damaged aac' : isEncrypted ? `encrypted ${plain}` : plain;
  const isNamed = isNoise || isEncrypted;
  const said = soundOf(plain, settings);
  const rate = said?.extensionSampleRate ?? said?.sampleRate ?? frame?.rate ?? 0;
  const sound = { rate, channels: said?.channels || frame?.channels || channels };
  const details = isNamed ? '' : detailsOf(codec, sound.rate, sound.channels);
  return {
    index,
    kind,
    codec,
    profile: '',
    details,
    ticksPerSecond: TICKS_PER_SECOND,
    areSettingsInFrames: codec === 'aac',
    settings: isNamed ? undefined : settings,
    size: picture,
    sampleAspect: picture?.sampleAspect,
    sound: kind === 'audio' ? sound : undefined,
  };
}

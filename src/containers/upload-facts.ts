/** A file that is meant as an upload: its format, its first video and audio track, whether it is whole; as ffprobe would say it. */
import type { ByteSource, StopSignal } from '../bytes/byte-source.js';
import { WireError } from '../bytes/wire-error.js';
import type { FileAudioFacts, FileFacts, FileVideoFacts } from '../facts/probed-file.js';
import { parseAvcc } from '../media/h264/avcc.js';
import type { Sps } from '../media/h264/sps.js';
import { readFlvTracks } from './flv-tracks.js';
import { type Format, SNIFF_BYTES, sniff, unopenedFacts } from './formats.js';
import { MeanBitrate } from './mean-bitrate.js';
import { readerOf } from './open-container.js';
import type { Frame, Reader, SourceTrack } from './source/media-file.js';
import { SourceReader } from './source/source-reader.js';
import { aspectOf, configOf, damage, NOTHING, type TimedReading, type UploadTracks } from './track-facts.js';

export interface UploadFile {
  readonly format: Format;
  /** Undefined: the format is one of uploads, but none that is read here. */
  readonly facts: FileFacts | undefined;
  readonly lengthMs: number;
  /** Why the file is incomplete. */
  readonly problem: string | undefined;
  /** Only a decoder can tell whether the last video frame is complete. */
  readonly isEndOpen: boolean;
}

/** Names of the demuxers as FFmpeg lists them. */
const FORMAT_NAMES: Readonly<Record<string, readonly string[]>> = {
  mov: ['mov', 'mp4', 'm4a', '3gp', '3g2', 'mj2'],
  matroska: ['matroska', 'webm'],
  mpegts: ['mpegts'],
  flv: ['flv'],
};
const TIME_TOLD_MS = 1000;

/** @throws what the source throws, and the reason of `signal` */
export async function* readUpload(source: ByteSource, signal?: StopSignal): TimedReading<UploadFile> {
  const file = new SourceReader(source, signal);
  const format = sniff(await file.bytes(0, SNIFF_BYTES));
  const { demuxer } = format;
  const formatNames = FORMAT_NAMES[demuxer ?? ''];
  if (demuxer === undefined) return { ...NOTHING, format, facts: unopenedFacts(format, source.size) };
  if (formatNames === undefined) return { ...NOTHING, format, facts: undefined };
  const read = yield* demuxer === 'flv' ? readFlvTracks(source, signal) : readTracks(file);
  const { docType } = format;
  const { video, audio } = read;
  const isEmpty = video === undefined && audio === undefined;
  const fault = read.fault ?? (isEmpty ? 'no video or audio track' : undefined);
  const facts: FileFacts = {
    formatNames: read.fault === undefined ? formatNames : [demuxer],
    ...(docType === undefined ? {} : { docType }),
    ...(fault === undefined ? {} : { fault }),
    ...(video === undefined ? {} : { video }),
    ...(audio === undefined ? {} : { audio }),
  };
  return { format, facts, lengthMs: read.lengthMs, problem: read.problem, isEndOpen: read.isEndOpen };
}

async function* readTracks(file: SourceReader): TimedReading<UploadTracks> {
  let reader: Reader | string | undefined;
  try {
    reader = await readerOf(file, await file.head(0, SNIFF_BYTES));
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    reader = damage(error);
  }
  if (typeof reader !== 'object') return { ...NOTHING, fault: reader ?? 'damaged file: its header cannot be read' };
  const video = reader.tracks.find(({ kind }) => kind === 'video');
  const audio = reader.tracks.find(({ kind }) => kind === 'audio');
  const wanted = new Set([video, audio].flatMap((track) => track?.index ?? []));
  const times = new Times();
  let toldMs = Number.NEGATIVE_INFINITY;
  let damaged: string | undefined;
  try {
    for await (const frame of reader.frames(wanted, true)) {
      const shownMs = times.take(frame);
      if (shownMs - toldMs < TIME_TOLD_MS) continue;
      toldMs = shownMs;
      yield times.sinceFirst(shownMs);
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    damaged = damage(error);
  }
  return {
    video: video && videoFacts(video),
    audio: audio && audioFacts(audio, times.audioKbps(reader)),
    lengthMs: times.lengthMs,
    problem: reader.problem ?? damaged,
    isEndOpen: reader.isEndOpen === true,
  };
}

/** Times of all frames of the first video and the first audio track. */
class Times {
  readonly #bitrate = new MeanBitrate();
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Duration of the last video frame. */
  #stepMs = 0;
  #previousMs = Number.NaN;

  audioKbps({ container }: Reader): number | undefined {
    // FFmpeg takes that of a short track from the index of MP4.
    return container === 'mp4' || container === 'mov' ? this.#bitrate.shortKbps : this.#bitrate.kbps;
  }

  get lengthMs(): number {
    return this.#lastMs < this.#firstMs ? 0 : Math.round(this.#lastMs - this.#firstMs + this.#stepMs);
  }

  sinceFirst(ms: number): number {
    return Math.max(0, ms - this.#firstMs);
  }

  /** Returns when the frame is shown. */
  take({ track, decodeTime, presentationTime, duration, data, headerBytes }: Frame): number {
    const toMs = 1000 / track.ticksPerSecond;
    const shownMs = presentationTime * toMs;
    this.#firstMs = Math.min(this.#firstMs, shownMs);
    this.#lastMs = Math.max(this.#lastMs, shownMs);
    if (track.kind === 'audio')
      this.#bitrate.take(decodeTime * toMs, shownMs, duration * toMs, data.length + headerBytes);
    else {
      const step = decodeTime * toMs - this.#previousMs;
      if (step > 0 && step < TIME_TOLD_MS) this.#stepMs = step;
      this.#previousMs = decodeTime * toMs;
    }
    return shownMs;
  }
}

function videoFacts(track: SourceTrack): FileVideoFacts {
  const sps = spsOf(track);
  const size = sps ?? track.size;
  const sampleAspect = track.sampleAspect ?? (sps === undefined ? undefined : aspectOf(sps)) ?? 1;
  const rotationDegrees = (Math.round((track.rotationDegrees ?? 0) / 90) * 90) % 360;
  if (size === undefined) return { width: 0, height: 0, isSizeUnknown: true, sampleAspect, rotationDegrees };
  return { width: size.width, height: size.height, sampleAspect, rotationDegrees };
}

function spsOf({ codec, settings }: SourceTrack): Sps | undefined {
  if (codec !== 'h264' || settings === undefined) return undefined;
  try {
    return parseAvcc(settings).sps[0];
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return undefined;
  }
}

/** The codec of a track that its container marks as encrypted is named behind the mark. */
const ENCRYPTED = /encrypted (?:or damaged )?(\w+)\)?$/;
/** Opus decodes to this rate, whatever was encoded. */
const OPUS_HZ = 48_000;

function audioFacts({ codec: shown, settings, sound }: SourceTrack, bitrateKbps: number | undefined): FileAudioFacts {
  const codec = ENCRYPTED.exec(shown)?.[1] ?? shown;
  const said = settings === undefined ? undefined : configOf(settings);
  return {
    codec,
    sampleRate: said?.sampleRate ?? (codec === 'opus' ? OPUS_HZ : (sound?.rate ?? 0)),
    channels: said?.channels ?? sound?.channels ?? 0,
    ...(bitrateKbps === undefined ? {} : { bitrateKbps }),
  };
}

/** The first video and the first audio track of an FLV file, and whether it is whole. */
import type { ByteSource, StopSignal } from '../bytes/byte-source.js';
import type { SliceList } from '../bytes/slices.js';
import { WireError } from '../bytes/wire-error.js';
import type { FileAudioFacts, FileVideoFacts } from '../facts/probed-file.js';
import { FlvFileReader, type FlvTagKind, type FlvTagSink } from '../media/flv/file-reader.js';
import { TagParser } from '../media/flv/tag-parser.js';
import type { AudioPacket } from '../media/packet.js';
import { MeanBitrate } from './mean-bitrate.js';
import { BLOCK_BYTES } from './source/limits.js';
import { aspectOf, damage, decodedSound, NOTHING, type TimedReading, type UploadTracks } from './track-facts.js';

/** Names of FFmpeg for the ids of `media/flv/codecs.ts` that differ. */
const CODECS: Readonly<Record<string, string>> = {
  mp4a: 'aac',
  '.mp3': 'mp3',
  Opus: 'opus',
  fLaC: 'flac',
  'ac-3': 'ac3',
  'ec-3': 'eac3',
  pcm: 'pcm_u8',
  'pcm-little-endian': 'pcm_s16le',
  adpcm: 'adpcm_swf',
  'g711-alaw': 'pcm_alaw',
  'g711-mulaw': 'pcm_mulaw',
};
/** Bytes of a video message from which its codec is known. */
const HEAD_BYTES = 16;
const TIME_TOLD_MS = 1000;

/** @throws what the source throws, and the reason of the signal */
export async function* readFlvTracks(source: ByteSource, signal?: StopSignal): TimedReading<UploadTracks> {
  const tracks = new FlvTracks();
  const reader = new FlvFileReader(tracks);
  let problem: string | undefined;
  let toldMs = 0;
  try {
    for (let at = 0; at < source.size; ) {
      if (signal?.aborted === true) throw signal.reason;
      const bytes = await source.read(at, BLOCK_BYTES);
      // The file became shorter.
      if (bytes.length === 0) break;
      reader.push(bytes);
      at += bytes.length;
      const unwanted = Math.min(reader.unwanted, source.size - at);
      if (unwanted > 0) reader.skip(unwanted);
      at += unwanted;
      if (tracks.lengthMs - toldMs < TIME_TOLD_MS) continue;
      toldMs = tracks.lengthMs;
      yield toldMs;
    }
    if (reader.end()) problem = 'truncated file: ends inside a tag';
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    if (!tracks.hasAny) return { ...NOTHING, fault: damage(error) };
    problem = `invalid FLV at byte ${error.offset} (${error.message})`;
  }
  const { video, audio, lengthMs } = tracks;
  return { video, audio, lengthMs, problem, isEndOpen: false };
}

class FlvTracks implements FlvTagSink {
  video: FileVideoFacts | undefined;
  lengthMs = 0;
  readonly #parser = new TagParser();
  readonly #bitrate = new MeanBitrate();
  #audio: FileAudioFacts | undefined;
  #startMs: number | undefined;

  get hasAny(): boolean {
    return this.video !== undefined || this.#audio !== undefined;
  }

  get audio(): FileAudioFacts | undefined {
    const { kbps } = this.#bitrate;
    return this.#audio && { ...this.#audio, ...(kbps === undefined ? {} : { bitrateKbps: kbps }) };
  }

  tag(kind: FlvTagKind, timestampMs: number, payload: SliceList): void {
    if (kind === 'data') return;
    this.#startMs ??= timestampMs;
    this.lengthMs = Math.max(this.lengthMs, timestampMs - this.#startMs);
    if (kind === 'video') this.#takeVideo(timestampMs, payload);
    else this.#takeAudio(timestampMs, payload);
  }

  /** Frames are not read once the size is known. */
  nextWanted(payload: SliceList): number {
    return this.#isSized && payload.length >= HEAD_BYTES ? Number.POSITIVE_INFINITY : payload.length;
  }

  get #isSized(): boolean {
    return this.video !== undefined && this.video.isSizeUnknown !== true;
  }

  #takeVideo(timestampMs: number, payload: SliceList): void {
    if (this.#isSized) return;
    this.#parser.parseVideo(payload, timestampMs);
    const { activeSps, type } = this.#parser.video;
    if (type === 'other' || type === 'empty') return;
    this.video =
      activeSps === undefined
        ? { width: 0, height: 0, isSizeUnknown: true, sampleAspect: 1, rotationDegrees: 0 }
        : {
            width: activeSps.width,
            height: activeSps.height,
            sampleAspect: aspectOf(activeSps) ?? 1,
            rotationDegrees: 0,
          };
  }

  #takeAudio(timestampMs: number, payload: SliceList): void {
    this.#parser.parseAudio(payload, timestampMs);
    const { audio } = this.#parser;
    if (audio.type === 'other' || audio.type === 'empty') return;
    const isConfigured = audio.config !== undefined;
    if (this.#audio === undefined || isConfigured) this.#audio = audioFacts(audio);
    if (audio.type === 'coded') this.#bitrate.take(timestampMs, timestampMs, 0, audio.payloadBytes);
  }
}

function audioFacts({ codec, config, flvSampleRate, flvChannels }: AudioPacket): FileAudioFacts {
  const { sampleRate = flvSampleRate, channels = flvChannels } = (config && decodedSound(config)) ?? {};
  return { codec: CODECS[codec] ?? codec, sampleRate, channels };
}

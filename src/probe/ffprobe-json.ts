/** Parses the output of `ffprobe -show_format -show_streams -of json` for an untrusted file. Pure. */
import type { FileAudioFacts, FileVideoFacts, ProbedAudio, ProbedVideo } from '../facts/probed-file.js';
import { defined, isRecord } from '../lib/objects.js';

export interface ProbedTracks {
  readonly formatNames: readonly string[];
  readonly lengthMs: number;
  readonly videoFacts?: FileVideoFacts;
  readonly audioFacts?: FileAudioFacts;
  readonly video?: ProbedVideo;
  readonly audio?: ProbedAudio;
  /** Index of the audio track among the file's streams. */
  readonly audioIndex?: number;
}

type Row = Readonly<Record<string, unknown>>;

/** @throws SyntaxError for invalid JSON */
export function readTracks(json: string): ProbedTracks {
  const root = asRow(JSON.parse(json));
  const format = asRow(root.format);
  const streams = Array.isArray(root.streams) ? root.streams.map(asRow) : [];
  const video = streams.find((row) => row.codec_type === 'video' && asRow(row.disposition).attached_pic !== 1);
  const audio = streams.find((row) => row.codec_type === 'audio');
  const longest = Math.max(0, ...streams.map((row) => number(row.duration) ?? 0));
  return {
    formatNames: text(format.format_name)?.split(',') ?? [],
    lengthMs: Math.round((number(format.duration) ?? longest) * 1000),
    ...(video === undefined ? {} : videoParts(video)),
    ...(audio === undefined ? {} : audioParts(audio)),
  };
}

function videoParts(row: Row): Pick<ProbedTracks, 'video' | 'videoFacts'> {
  const facts: FileVideoFacts = {
    width: whole(row.width),
    height: whole(row.height),
    sampleAspect: sampleAspect(row.sample_aspect_ratio),
    rotationDegrees: rotation(row),
  };
  const [width, height] = shownSize(facts);
  const profile = text(row.profile);
  const level = number(row.level);
  const pixelFormat = text(row.pix_fmt);
  const frameRate = fraction(row.avg_frame_rate) ?? fraction(row.r_frame_rate);
  return {
    videoFacts: facts,
    video: {
      codec: text(row.codec_name) ?? 'unknown',
      width,
      height,
      ...defined({ profile }),
      ...(level === undefined || level < 0 ? {} : { level }),
      ...defined({ pixelFormat, frameRate }),
    },
  };
}

function audioParts(row: Row): Pick<ProbedTracks, 'audio' | 'audioFacts' | 'audioIndex'> {
  const profile = text(row.profile);
  const bitrate = number(row.bit_rate);
  const audio: ProbedAudio = {
    codec: text(row.codec_name) ?? 'unknown',
    sampleRate: whole(row.sample_rate),
    channels: whole(row.channels),
    ...defined({ profile }),
  };
  return {
    audio,
    audioFacts: { ...audio, ...(bitrate === undefined ? {} : { bitrateKbps: bitrate / 1000 }) },
    audioIndex: whole(row.index),
  };
}

/** Display size: sample aspect ratio applied to the width, then rotation. */
function shownSize({ width, height, sampleAspect: aspect, rotationDegrees }: FileVideoFacts): [number, number] {
  const wide = Math.round(width * aspect);
  return Math.abs(rotationDegrees) % 180 === 90 ? [height, wide] : [wide, height];
}

/** Newer versions report rotation in the display matrix, older ones in a tag. Only multiples of 90° count. */
function rotation(row: Row): number {
  const sides = Array.isArray(row.side_data_list) ? row.side_data_list.map(asRow) : [];
  const degrees = sides.map((side) => number(side.rotation)).find((value) => value !== undefined);
  const turned = degrees ?? number(asRow(row.tags).rotate) ?? 0;
  return (Math.round(turned / 90) * 90) % 360;
}

function sampleAspect(value: unknown): number {
  const [wide, high] = (text(value) ?? '').split(':').map(Number);
  if (wide === undefined || high === undefined || !(wide > 0) || !(high > 0)) return 1;
  return wide / high;
}

function fraction(value: unknown): number | undefined {
  const [top, bottom] = (text(value) ?? '').split('/').map(Number);
  if (top === undefined || bottom === undefined || !(top > 0) || !(bottom > 0)) return undefined;
  return top / bottom;
}

function asRow(value: unknown): Row {
  return isRecord(value) ? value : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value !== 'unknown' ? value.slice(0, 200) : undefined;
}

function number(value: unknown): number | undefined {
  const read =
    typeof value === 'number' ? value : typeof value === 'string' && value !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(read) ? read : undefined;
}

function whole(value: unknown): number {
  return Math.max(0, Math.round(number(value) ?? 0));
}

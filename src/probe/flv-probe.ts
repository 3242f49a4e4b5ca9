/** Runs ffprobe on the first seconds of a live stream, piped as FLV, to cross-check the judge. */

import type { ProbedAudio } from '../facts/probed-file.js';
import { defined } from '../lib/objects.js';
import { codecName } from '../spec/codec-names.js';
import type { Ffprobe } from './ffprobe.js';

/** The properties that both the judge and ffprobe report. */
export interface StreamOpinion {
  readonly videoCodec?: string;
  readonly levelIdc?: number;
  readonly width?: number;
  readonly height?: number;
  readonly audioCodec?: string;
  readonly sampleRate?: number;
  readonly channels?: number;
}

const SAMPLE_LIMITS = { timeoutMs: 20_000, stdoutMax: 1024 * 1024 };

/** FFmpeg's codec names as stream health shows them; codecs in neither table are not compared. */
const VIDEO_CODECS: Readonly<Record<string, string>> = {
  h264: 'avc1',
  hevc: 'hvc1',
  av1: 'av01',
  vp9: 'vp09',
  vp8: 'vp08',
};
const AUDIO_CODECS: Readonly<Record<string, string>> = { mp3: '.mp3', opus: 'Opus', flac: 'fLaC', speex: 'speex' };
const AAC_PROFILES: Readonly<Record<string, string>> = {
  LC: 'AAC LC',
  Main: 'AAC Main',
  SSR: 'AAC SSR',
  LTP: 'AAC LTP',
  'HE-AAC': 'HE-AAC',
  'HE-AACv2': 'HE-AAC v2',
  LD: 'AAC LD',
  ELD: 'AAC ELD',
};

function videoName(codec: string): string | undefined {
  const name = VIDEO_CODECS[codec];
  return name === undefined ? undefined : codecName(name);
}

function audioName({ codec, profile = '' }: ProbedAudio): string | undefined {
  if (codec === 'aac') return AAC_PROFILES[profile];
  const name = AUDIO_CODECS[codec];
  return name === undefined ? undefined : codecName(name);
}

/** @throws ToolError */
export async function probeFlv(ffprobe: Ffprobe, flv: Uint8Array): Promise<StreamOpinion> {
  const { video, videoFacts, audio } = await ffprobe.tracks({ demuxer: 'flv', from: flv }, SAMPLE_LIMITS);
  const videoCodec = video === undefined ? undefined : videoName(video.codec);
  const audioCodec = audio === undefined ? undefined : audioName(audio);
  return {
    ...defined({ videoCodec }),
    ...(video?.level === undefined ? {} : { levelIdc: video.level }),
    ...(videoFacts === undefined || videoFacts.width === 0
      ? {}
      : { width: videoFacts.width, height: videoFacts.height }),
    ...defined({ audioCodec }),
    ...(audio === undefined || audio.sampleRate === 0
      ? {}
      : { sampleRate: audio.sampleRate, channels: audio.channels }),
  };
}

/** ffprobe on the first seconds of a running stream, piped to it as FLV: the second opinion on what the judge says. */

import { readTracks } from './ffprobe-json.js';
import type { LimitedTools } from './limited-tools.js';

/** What both the judge and ffprobe can say of a stream. */
export interface StreamOpinion {
  readonly videoCodec?: string;
  readonly levelIdc?: number;
  readonly width?: number;
  readonly height?: number;
  readonly audioCodec?: string;
  readonly sampleRate?: number;
  readonly channels?: number;
}

/** FFmpeg's codec names in the names of this server (`media/flv/codecs.ts`). */
const CODECS: Readonly<Record<string, string>> = { h264: 'avc1', hevc: 'hvc1', av1: 'av01', aac: 'mp4a', mp3: '.mp3' };

/** @throws ToolError */
export async function probeFlv(tools: LimitedTools, flv: Uint8Array): Promise<StreamOpinion> {
  const input = ['-v', 'error', '-hide_banner', '-protocol_whitelist', 'pipe', '-f', 'flv', '-i', 'pipe:0'];
  const json = await tools.probe([...input, '-show_streams', '-show_format', '-of', 'json'], {
    timeoutMs: 20_000,
    stdoutMax: 1024 * 1024,
    stdin: one(flv),
  });
  const { video, videoFacts, audio } = readTracks(json);
  return {
    ...(video === undefined ? {} : { videoCodec: CODECS[video.codec] ?? video.codec }),
    ...(video?.level === undefined ? {} : { levelIdc: video.level }),
    ...(videoFacts === undefined || videoFacts.width === 0
      ? {}
      : { width: videoFacts.width, height: videoFacts.height }),
    ...(audio === undefined ? {} : { audioCodec: CODECS[audio.codec] ?? audio.codec }),
    ...(audio === undefined || audio.sampleRate === 0
      ? {}
      : { sampleRate: audio.sampleRate, channels: audio.channels }),
  };
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

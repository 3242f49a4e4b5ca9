/** `--profile 720p30`: the file must be of this row of the profile table. */
import { HIGHEST_FPS, LIVE, type LiveProfile, shortName } from '../spec/live.js';
import { BITRATE, FRAME_RATE, PICTURE } from '../spec/tolerances.js';
import type { FileResult, ProfileResult } from './file-report.js';

const ROWS: readonly LiveProfile[] = LIVE.profiles;

/** `1080p60`, `1080p30` … `360p` */
export const PROFILE_NAMES: readonly string[] = ROWS.map(shortName);

/** Deviations of the stream from the row, with the tolerances of the rules. */
export function compareProfile(name: string, stream: FileResult['stream']): ProfileResult {
  const row = ROWS.find((each) => shortName(each) === name);
  if (row === undefined) return { name, met: false, differences: ['no such profile'] };
  const differences = [sizeOf(row, stream), rateOf(row, stream), bitrateOf(row, stream)].filter((text) => text !== '');
  return { name, met: differences.length === 0, differences };
}

/** The result with the comparison, where a profile was asked for and the file could be read. */
export function withProfile(result: FileResult, profile: string | undefined): FileResult {
  if (profile === undefined || result.outcome === 'unreadable') return result;
  return { ...result, profile: compareProfile(profile, result.stream) };
}

type Stream = FileResult['stream'];

function sizeOf(row: LiveProfile, stream: Stream): string {
  const { width, height } = stream ?? {};
  if (width === undefined || height === undefined) return 'size unknown';
  const slack = PICTURE.sizeSlack.value;
  if (Math.abs(width - row.width) <= slack && Math.abs(height - row.height) <= slack) return '';
  return `${width}x${height}, not ${row.width}x${row.height}`;
}

function rateOf({ fps }: LiveProfile, stream: Stream): string {
  const { frameRate, frameRateClass } = stream ?? {};
  if (frameRate === undefined || frameRateClass === undefined) return 'frame rate unknown';
  const isAbove = frameRate > (fps === 30 ? 30 : HIGHEST_FPS) + FRAME_RATE.slackFps.value;
  if (!isAbove && (fps === undefined || frameRateClass === fps)) return '';
  return `${frameRate} fps, not ${fps ?? 'at most 60'} fps`;
}

function bitrateOf({ videoBitrateKbps: range }: LiveProfile, stream: Stream): string {
  const kbps = stream?.videoBitrateKbps;
  if (kbps === undefined) return 'video bitrate unknown';
  if (kbps >= range.min * BITRATE.videoLowFactor.value && kbps <= range.max * BITRATE.videoHighFactor.value) return '';
  return `${kbps} kbps of video, not ${range.min} to ${range.max} kbps`;
}

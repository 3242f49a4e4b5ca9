/** ffmpeg and ffprobe for the commands that run without a server's settings. */
import { findTools, type ToolPaths } from '../../probe/tool-paths.js';
import type { CliIo } from '../console/io.js';

export function toolsOf(io: CliIo): ToolPaths {
  const { FFMPEG_PATH, FFPROBE_PATH, PATH } = io.env;
  return findTools({ ffmpegPath: FFMPEG_PATH || undefined, ffprobePath: FFPROBE_PATH || undefined }, PATH);
}

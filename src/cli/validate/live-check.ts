/** Checks a file or a stream of bytes against the live specification. */
import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { WireError } from '../../bytes/wire-error.js';
import { FileJudge } from '../../check/file-judge.js';
import { unreadable } from '../../check/file-report.js';
import { brokenFlv, endedFlv } from '../../check/live-report.js';
import { isFlv } from '../input/files.js';
import type { FileReport } from '../reports/report.js';
import type { CheckTools } from './check-tools.js';
import { openFile, readPart, readWanted } from './read-wanted.js';

/** `shown` is the display name of `path`. */
export async function checkLiveFile(path: string, shown: string, tools: CheckTools): Promise<FileReport> {
  const info = statSync(path);
  // A pipe has no size and cannot be read a second time.
  if (!info.isFile()) return checkLiveStream(createReadStream(path), shown, tools);
  if (info.size === 0) return unreadable(shown, 'live', 'empty file');
  if (isFlv(path)) return checkFlv(path, shown, tools, info.size);
  const { checkContainer } = await import('../../check/container-check.js');
  const source = openFile(path, (bytes) => tools.onProgress?.(bytes, info.size));
  const { analysis, decode, ffmpeg } = tools;
  const isLastFrameWhole = async () => (await import('./cut-off.js')).isLastFrameWhole(path, ffmpeg);
  try {
    const report = await checkContainer(source, shown, { analysis, decode, isLastFrameWhole });
    if (report !== undefined) return report;
  } finally {
    source.close();
  }
  const { checkOtherContainer } = await import('./other-container.js');
  return checkOtherContainer(path, shown, tools);
}

function checkFlv(path: string, shown: string, tools: CheckTools, size: number): FileReport {
  const reread = (offset: number, bytes: number) => readPart(path, offset, bytes);
  const judge = new FileJudge({ fileBytes: size, analysis: tools.analysis, decode: tools.decode, reread });
  try {
    readWanted(path, judge, () => tools.onProgress?.(judge.bytes, size));
    return endedFlv(judge, shown);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return brokenFlv(judge, shown, error);
  }
}

/** A stream of FLV bytes. */
export async function checkLiveStream(
  input: Readable,
  shown: string,
  tools: CheckTools,
  size?: number,
): Promise<FileReport> {
  const judge = new FileJudge({ analysis: tools.analysis, decode: tools.decode });
  try {
    for await (const bytes of input as AsyncIterable<Buffer>) {
      judge.push(bytes);
      tools.onProgress?.(judge.bytes, size);
    }
    return endedFlv(judge, shown);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return brokenFlv(judge, shown, error, PIPE_ADVICE);
  }
}

/** Most other containers need seeking. */
const PIPE_ADVICE =
  '; only FLV can be read from a pipe: pass the file name, or remux it first (ffmpeg -i FILE -c copy -f flv -)';

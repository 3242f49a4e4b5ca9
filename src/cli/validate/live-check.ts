/** One file or stream of bytes against the live specification. */
import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { WireError } from '../../bytes/wire-error.js';
import { isFlv } from '../input/files.js';
import { type FileReport, unreadable } from '../reports/report.js';
import type { CheckTools } from './check-tools.js';
import { FileJudge } from './file-judge.js';
import { liveReport } from './live-report.js';
import { onDemand } from './on-demand.js';
import { readWanted } from './read-wanted.js';

/** `path` is where `shown` really is. */
export async function checkLiveFile(path: string, shown: string, tools: CheckTools): Promise<FileReport> {
  const info = statSync(path);
  // A pipe has no size, and no other program could read it again.
  if (!info.isFile()) return checkLiveStream(createReadStream(path), shown, tools);
  if (info.size === 0) return unreadable(shown, 'live', 'it is empty');
  if (isFlv(path)) return checkFlv(path, shown, tools, info.size);
  const { checkOtherContainer } = await onDemand.otherContainer();
  return checkOtherContainer(path, shown, tools);
}

function checkFlv(path: string, shown: string, tools: CheckTools, size: number): FileReport {
  const judge = new FileJudge(undefined, size);
  try {
    readWanted(path, judge, () => tools.onProgress?.(judge.bytes, size));
    return ended(judge, shown);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return brokenFlv(judge, shown, error);
  }
}

function ended(judge: FileJudge, shown: string): FileReport {
  return liveReport(judge, shown, 'flv', judge.end() ? 'it was cut off in the middle of a tag' : undefined);
}

/** A stream of FLV bytes. */
export async function checkLiveStream(
  input: Readable,
  shown: string,
  tools: CheckTools,
  size?: number,
): Promise<FileReport> {
  const judge = new FileJudge();
  try {
    for await (const bytes of input as AsyncIterable<Buffer>) {
      judge.push(bytes);
      tools.onProgress?.(judge.bytes, size);
    }
    return ended(judge, shown);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return brokenFlv(judge, shown, error, FROM_A_PIPE);
  }
}

/** ffmpeg has to go back in most other containers. */
const FROM_A_PIPE =
  '; only FLV is read from a pipe: name the file itself, or make FLV of it first (ffmpeg -i FILE -c copy -f flv -)';

/** What was read before the fault is told, with the fault. */
function brokenFlv(judge: FileJudge, shown: string, error: WireError, advice = ''): FileReport {
  if (judge.mediaMessages === 0)
    return unreadable(
      shown,
      'live',
      judge.bytes === 0 ? 'nothing came in' : `this is no FLV (${error.message})${advice}`,
    );
  judge.close();
  return liveReport(judge, shown, 'flv', `it is no FLV any more at byte ${error.offset} (${error.message})`);
}

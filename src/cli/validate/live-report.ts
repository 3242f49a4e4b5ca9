/** The report of the live rules for one file. */

import { defined } from '../../lib/objects.js';
import { type FileReport, outcomeOf, unreadable } from '../reports/report.js';
import type { FileJudge } from './file-judge.js';

/** `fault`: why the file could not be read to its end. */
export function liveReport(
  judge: FileJudge,
  shown: string,
  container: string,
  fault?: string,
  notes: readonly string[] = [],
): FileReport {
  if (!judge.isJudged) {
    return {
      ...unreadable(shown, 'live', fault ?? 'no video or audio'),
      container,
      bytes: judge.bytes,
    };
  }
  const { errors, stream } = judge;
  const problem = fault ?? unreadHeaders(stream);
  return {
    file: shown,
    spec: 'live',
    outcome: problem === undefined ? outcomeOf(errors) : 'unreadable',
    ...defined({ problem }),
    notes: [...wholeNote(judge), ...notes],
    container,
    bytes: judge.bytes,
    stream,
    rules: judge.rules,
    errors,
  };
}

function wholeNote({ judgedByWhole, stream }: FileJudge): string[] {
  if (judgedByWhole.length === 0) return [];
  const length = `${(stream.streamTimeMs / 1000).toFixed(1)} s`;
  return [`Shorter than a measuring window: judged over the whole ${length}: ${judgedByWhole.join(', ')}.`];
}

/** Without its headers most of a track cannot be judged, so that a pass would be wrong. */
function unreadHeaders(stream: FileJudge['stream']): string | undefined {
  if (stream.videoCodec === 'H.264' && stream.width === undefined) return 'H.264 parameter sets missing or malformed';
  if (stream.audioCodec === 'AAC' && stream.sampleRate === undefined) return 'AAC configuration missing or malformed';
  return undefined;
}

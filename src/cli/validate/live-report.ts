/** What the live rules found in one file, as a report. */

import { type FileReport, outcomeOf, unreadable } from '../reports/report.js';
import type { FileJudge } from './file-judge.js';

/** `fault`: why it could not be read, or not to its end. */
export function liveReport(
  judge: FileJudge,
  shown: string,
  container: string,
  fault?: string,
  notes: readonly string[] = [],
): FileReport {
  if (judge.mediaMessages === 0) {
    return {
      ...unreadable(shown, 'live', fault ?? 'there is neither video nor audio in it'),
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
    ...(problem === undefined ? {} : { problem }),
    notes,
    container,
    bytes: judge.bytes,
    stream,
    rules: judge.rules,
    errors,
  };
}

/** Without its headers most of a track cannot be judged, and nothing found is no good news. */
function unreadHeaders(stream: FileJudge['stream']): string | undefined {
  if (stream.videoCodec === 'H.264' && stream.width === undefined)
    return 'the H.264 parameter sets are missing or broken';
  if (stream.audioCodec === 'AAC' && stream.sampleRate === undefined)
    return 'the AAC configuration is missing or broken';
  return undefined;
}

/** The result of the live rules for one file. */

import type { WireError } from '../bytes/wire-error.js';
import { defined } from '../lib/objects.js';
import { videoBlack } from '../rules/live/video-black.js';
import { videoFrozen } from '../rules/live/video-frozen.js';
import type { FileJudge } from './file-judge.js';
import { type FileResult, outcomeOf, unreadable } from './file-report.js';

/** `fault`: why the file could not be read to its end. */
export function liveReport(
  judge: FileJudge,
  shown: string,
  container: string,
  fault?: string,
  notes: readonly string[] = [],
): FileResult {
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
    notes: [...wholeNote(judge), ...droppedNote(judge), ...decoderNote(judge), ...notes],
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

function droppedNote({ droppedRecords }: FileJudge): string[] {
  return droppedRecords === 0 ? [] : [`${droppedRecords} more records are not listed.`];
}

function decoderNote({ lacksDecoder }: FileJudge): string[] {
  if (!lacksDecoder) return [];
  const [black, frozen] = [videoBlack.entry.code, videoFrozen.entry.code];
  return [
    `Not judged without a decoder: black pictures (${black}), and still ones where only pixels tell (${frozen}).`,
  ];
}

/** Without its headers most of a track cannot be judged, so that a pass would be wrong. */
function unreadHeaders(stream: FileJudge['stream']): string | undefined {
  if (stream.videoCodec === 'H.264' && stream.width === undefined) return 'H.264 parameter sets missing or malformed';
  if (stream.audioCodec === 'AAC' && stream.sampleRate === undefined) return 'AAC configuration missing or malformed';
  return undefined;
}

/** The end of a FLV file was reached. @throws WireError when even the header is missing */
export function endedFlv(judge: FileJudge, shown: string): FileResult {
  return liveReport(judge, shown, 'flv', judge.end() ? 'truncated file: ends inside a tag' : undefined);
}

/** FLV that could not be read on: the fault together with the verdicts up to it. `advice` follows where nothing was read. */
export function brokenFlv(judge: FileJudge, shown: string, error: WireError, advice = ''): FileResult {
  if (judge.mediaMessages === 0)
    return unreadable(shown, 'live', judge.bytes === 0 ? 'no input' : `not FLV (${error.message})${advice}`);
  judge.close();
  return liveReport(judge, shown, 'flv', `invalid FLV at byte ${error.offset} (${error.message})`);
}

/** The state of a broadcast in one sentence, as both pages show it first. Pure. */

import { isOver } from '../../../lifecycle/lifecycle.js';
import { countsText, type Ending, endedSentence } from '../../../spec/ending.js';
import type { ErrorView } from '../../../spec/error-view.js';
import type { BroadcastView, HealthView } from '../../view/protocol.js';
import { isOpen } from './feed-state.js';
import { kbps, number } from './format.js';
import type { RowVerdict } from './verdicts.js';

export interface HealthLine {
  readonly word: 'Good' | 'Fair' | 'Poor' | 'Waiting' | 'Checking' | 'Disconnected' | 'Ended';
  readonly tone: 'pass' | 'warn' | 'fail' | 'quiet';
  readonly sentence: string;
  /** Stream as sent: size, frame rate, bitrate, encoder. Empty while nothing is. */
  readonly sent: readonly string[];
}

/** `rows` as `verdicts()` gives them; `health` undefined: no values yet; `isComplete`: all records of an ended broadcast have been read. */
export function healthLine(
  view: BroadcastView,
  health: HealthView | undefined,
  rows: readonly RowVerdict[],
  nowMs: number,
  isComplete = true,
): HealthLine {
  if (isOver(view)) return ended(view, rows, isComplete);
  const sent = health === undefined ? [] : sentOf(health);
  if (view.stream_state === 'interrupted') return { ...disconnected(view, nowMs), sent };
  if (view.stream_state !== 'connected' && health === undefined) {
    const sentence = 'Start streaming in your encoder. The stream is checked here as it arrives.';
    return { word: 'Waiting', tone: 'quiet', sentence, sent: [] };
  }
  const { errors, warnings } = countsOf(rows);
  const counts = countsText(errors, warnings);
  if (errors > 0) return { word: 'Poor', tone: 'fail', sentence: counts, sent };
  if (warnings > 0) return { word: 'Fair', tone: 'warn', sentence: counts, sent };
  if (!rows.some(({ verdict }) => verdict === 'pass')) {
    return { word: 'Checking', tone: 'quiet', sentence: 'Checking the first seconds of the stream.', sent };
  }
  return { word: 'Good', tone: 'pass', sentence: 'Stream healthy: all checks pass.', sent };
}

/** Since when the stream has been as the line says: open errors, none, or no encoder. Undefined before it starts and after its end. */
export function sinceOf(view: BroadcastView, records: Iterable<ErrorView>): number | undefined {
  if (isOver(view) || view.stream_state === 'waiting') return undefined;
  const startMs = view.stream_since === undefined ? undefined : Date.parse(view.stream_since);
  if (view.stream_state === 'interrupted') return startMs;
  const counted = [...records].filter(({ severity, source }) => severity !== 'info' && source !== 'publish');
  const open = counted.filter(isOpen);
  const worst = open.filter(({ severity }) => severity === 'error');
  if (open.length > 0)
    return Math.min(
      ...(worst.length > 0 ? worst : open).map((record) => Date.parse(record.open_since ?? record.timestamp)),
    );
  const cleared = counted.map(({ cleared_time: time }) => Date.parse(time ?? ''));
  return startMs === undefined ? undefined : Math.max(startMs, ...cleared);
}

const HOW_TO_CONTINUE = 'To continue it, stream with the same key.';

function disconnected(view: BroadcastView, nowMs: number): Pick<HealthLine, 'word' | 'tone' | 'sentence'> {
  const how = 'Reconnect with the same stream key.';
  const endsMs = view.ends_time === undefined ? undefined : Date.parse(view.ends_time);
  const left = endsMs === undefined ? '' : `: ends in ${Math.max(0, Math.ceil((endsMs - nowMs) / 1000))} s`;
  if (view.encoder_stopped === true && view.encoder_retuned !== true) {
    const sentence = `Ended by the encoder${left.replace('ends', 'the broadcast closes')}. ${HOW_TO_CONTINUE}`;
    return { word: 'Ended', tone: 'quiet', sentence };
  }
  if (view.encoder_retuned === true) {
    const sentence = 'New encoder settings: OBS reconnects with them in about 45 s.';
    return { word: 'Disconnected', tone: 'warn', sentence };
  }
  return { word: 'Disconnected', tone: 'warn', sentence: `Encoder disconnected${left}. ${how}` };
}

function ended(view: BroadcastView, rows: readonly RowVerdict[], isComplete: boolean): HealthLine {
  if (view.end_reason !== undefined) {
    const text = view.end_reason.text.replace(/^\[[^\]]*\]\s*/, '');
    return { word: 'Ended', tone: 'fail', sentence: `The broadcast was ended. ${text}`, sent: [] };
  }
  const { errors, warnings } = countsOf(rows);
  const counts = countsText(errors, warnings);
  if (errors + warnings === 0 && !isComplete)
    return {
      word: 'Ended',
      tone: 'quiet',
      sentence: endedSentence(endingOf(view), 'Reading the error log.'),
      sent: [],
    };
  const sentence = endedSentence(endingOf(view), isComplete ? counts : `At least ${counts}`);
  return { word: 'Ended', tone: toneOf(errors, warnings, view, rows), sentence, sent: [] };
}

function endingOf(view: BroadcastView): Ending {
  const { broadcast_start_time: start, end_time: end, end_reason: reason } = view;
  const ended_by_owner = start !== undefined && end !== undefined && reason === undefined;
  return { ...view, ended_by_owner };
}

function toneOf(
  errors: number,
  warnings: number,
  { connection_lost }: BroadcastView,
  rows: readonly RowVerdict[],
): HealthLine['tone'] {
  if (errors > 0) return 'fail';
  if (warnings > 0 || connection_lost === true) return 'warn';
  return rows.some(({ verdict }) => verdict === 'pass') ? 'pass' : 'quiet';
}

/** The records that count against the rows: what the table shows, its headline counts. */
function countsOf(rows: readonly RowVerdict[]): { readonly errors: number; readonly warnings: number } {
  const records = rows.flatMap((row) => row.records);
  const count = (severity: ErrorView['severity']) => records.filter((record) => record.severity === severity).length;
  return { errors: count('error'), warnings: count('warning') };
}

function sentOf({ width, height, frame_rate, video_bitrate_kbps, encoder }: HealthView): readonly string[] {
  return [
    ...(width === undefined || height === undefined ? [] : [`${width}×${height}`]),
    ...(frame_rate === undefined ? [] : [`${number(frame_rate, 1)} fps`]),
    ...(video_bitrate_kbps === undefined ? [] : [kbps(video_bitrate_kbps)]),
    ...(encoder === '' ? [] : [encoder]),
  ];
}

/** The state of a broadcast in one sentence, as both pages show it first. Pure. */
import type { ErrorView } from '../../../spec/error-view.js';
import type { BroadcastView, HealthView } from '../../view/protocol.js';
import { isOpen } from './feed-state.js';
import { kbps, number, plural } from './format.js';
import { isOver, type RowVerdict, timeOf } from './verdicts.js';

export interface HealthLine {
  readonly word: 'Good' | 'Fair' | 'Poor' | 'Waiting' | 'Checking' | 'Disconnected' | 'Ended';
  readonly tone: 'pass' | 'warn' | 'fail' | 'quiet';
  readonly sentence: string;
  /** What is sent: size, frame rate, bitrate, encoder. Empty while nothing is. */
  readonly sent: readonly string[];
}

/** `rows` as `verdicts()` gives them; `health` undefined: no values yet. */
export function healthLine(
  view: BroadcastView,
  health: HealthView | undefined,
  rows: readonly RowVerdict[],
  nowMs: number,
): HealthLine {
  if (isOver(view)) return ended(view, rows);
  const sent = health === undefined ? [] : sentOf(health);
  if (view.stream_state === 'interrupted') return { ...disconnected(view, nowMs), sent };
  if (view.stream_state !== 'connected' && health === undefined) {
    const sentence = 'Start streaming in your encoder. The stream is checked here as it arrives.';
    return { word: 'Waiting', tone: 'quiet', sentence, sent: [] };
  }
  const failing = rows.filter(({ verdict }) => verdict === 'fail');
  const warned = rows.filter(({ verdict }) => verdict === 'warn');
  if (failing.length > 0) {
    const also = warned.length > 0 ? `, ${plural(warned.length, 'warning')}` : '';
    return {
      word: 'Poor',
      tone: 'fail',
      sentence: `${failing.length} of ${plural(rows.length, 'check')} failing${also}`,
      sent,
    };
  }
  if (warned.length > 0) return { word: 'Fair', tone: 'warn', sentence: plural(warned.length, 'warning'), sent };
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
  if (open.length > 0) return Math.min(...(worst.length > 0 ? worst : open).map(timeOf));
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

function ended(view: BroadcastView, rows: readonly RowVerdict[]): HealthLine {
  if (view.end_reason !== undefined) {
    const text = view.end_reason.text.replace(/^\[[^\]]*\]\s*/, '');
    return { word: 'Ended', tone: 'fail', sentence: `The broadcast was ended. ${text}`, sent: [] };
  }
  const failed = rows.filter(({ verdict }) => verdict === 'fail').length;
  const by = view.encoder_stopped === true ? 'Ended by the encoder. ' : '';
  const sentence = by + (failed === 0 ? 'No errors.' : `${failed} of ${plural(rows.length, 'check')} failed.`);
  return { word: 'Ended', tone: failed === 0 ? 'pass' : 'fail', sentence, sent: [] };
}

function sentOf({ width, height, frame_rate, video_bitrate_kbps, encoder }: HealthView): readonly string[] {
  return [
    ...(width === undefined || height === undefined ? [] : [`${width}×${height}`]),
    ...(frame_rate === undefined ? [] : [`${number(frame_rate, 1)} fps`]),
    ...(video_bitrate_kbps === undefined ? [] : [kbps(video_bitrate_kbps)]),
    ...(encoder === '' ? [] : [encoder]),
  ];
}

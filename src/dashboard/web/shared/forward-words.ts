/** The state of a forward in a sentence, for the page. */
import { clockTime, kbps, seconds } from './format.js';

export interface ForwardRow {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly when: 'always' | 'healthy';
  readonly enabled: boolean;
  readonly state: string;
  readonly since?: string;
  readonly next_try_time?: string;
  readonly reason?: string;
  readonly held_by?: readonly number[];
  readonly sent_kbps?: number;
  readonly lag_ms?: number;
  readonly dropped_ms?: number;
}

/** `titleOf`: the title of an error code. */
export function forwardSentence(row: ForwardRow, nowMs: number, titleOf: (code: number) => string): string {
  const { name, reason = '', held_by: held = [], sent_kbps: rate = 0, lag_ms: lag = 0, dropped_ms: dropped = 0 } = row;
  const since = row.since === undefined ? '' : ` since ${clockTime(Date.parse(row.since))}`;
  const flow = `${kbps(rate)}, ${seconds(lag)} behind`;
  switch (row.state) {
    case 'off':
      return 'Off';
    case 'connecting':
      return `Connecting to ${name}`;
    case 'sending':
      return `Sending to ${name}, ${flow}`;
    case 'held':
      return `Held: ${held.map(titleOf).join(', ').toLowerCase()}${since}`;
    case 'behind':
      return `Sending to ${name}, ${flow}; ${seconds(dropped)} were left out, because the target is too slow`;
    case 'retrying':
      return `No connection: ${reason}${nextTry(row, nowMs)}`;
    case 'refused':
      return `Refused: ${reason}${nextTry(row, nowMs)}`;
    default:
      return row.when === 'healthy' ? 'Waiting for ten seconds without an error' : 'Waiting for the stream';
  }
}

function nextTry({ next_try_time: time }: ForwardRow, nowMs: number): string {
  if (time === undefined) return '';
  return `, next try in ${Math.max(0, Math.round((Date.parse(time) - nowMs) / 1000))} s`;
}

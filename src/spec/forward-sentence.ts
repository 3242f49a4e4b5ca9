/** The state of a forward in a sentence, as the pages, the report and the command line say it. Pure. */

export interface ForwardSeen {
  readonly name: string;
  readonly when: 'always' | 'healthy';
  readonly state: string;
  /** Times as `Date.parse` reads them. */
  readonly since?: string;
  readonly next_try_time?: string;
  readonly reason?: string;
  readonly held_by?: readonly number[];
  readonly sent_kbps?: number;
  readonly lag_ms?: number;
  readonly dropped_ms?: number;
}

/** The forwards of a broadcast that are switched on. */
export interface ForwardCounts {
  readonly count: number;
  /** Their target takes the stream. */
  readonly sending: number;
  /** Their target refuses, or there is no connection. */
  readonly failing: number;
}

export interface ForwardWords {
  readonly nowMs: number;
  /** The broadcast is over. */
  readonly over?: boolean;
  /** The title of an error code. */
  titleOf(code: number): string;
  clockTime(ms: number): string;
}

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const SECONDS = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

export function forwardSentence(seen: ForwardSeen, words: ForwardWords): string {
  const { name, reason = '', held_by: held = [], sent_kbps: rate = 0, lag_ms: lag = 0, dropped_ms: dropped = 0 } = seen;
  if (words.over === true) return 'The broadcast is over';
  const since = seen.since === undefined ? '' : ` since ${words.clockTime(Date.parse(seen.since))}`;
  const flow = `${NUMBER.format(rate)} kbps, ${seconds(lag)} behind`;
  switch (seen.state) {
    case 'off':
      return 'Off';
    case 'connecting':
      return `Connecting to ${name}`;
    case 'sending':
      return `Sending to ${name}, ${flow}`;
    case 'held':
      return `Held: ${held.map(words.titleOf).join(', ').toLowerCase()}${since}`;
    case 'behind':
      return `Sending to ${name}, ${flow}; ${seconds(dropped)} were left out, because the target is too slow`;
    case 'retrying':
      return `No connection: ${reason}${nextTry(seen, words.nowMs)}`;
    case 'refused':
      return `Refused: ${reason}${nextTry(seen, words.nowMs)}`;
    default:
      return seen.when === 'healthy' ? 'Waiting for ten seconds without an error' : 'Waiting for the stream';
  }
}

/** All forwards of a broadcast in one line, where there is no room for each of them. */
export function forwardsSentence({ count, sending, failing }: ForwardCounts): string {
  return failing > 0 ? `Forwards: ${failing} of ${count} failing` : `Forwards: ${sending} of ${count} sending`;
}

const seconds = (ms: number): string => `${SECONDS.format(ms / 1_000)} s`;

function nextTry({ next_try_time: time }: ForwardSeen, nowMs: number): string {
  if (time === undefined) return '';
  return `, next try in ${Math.max(0, Math.round((Date.parse(time) - nowMs) / 1_000))} s`;
}

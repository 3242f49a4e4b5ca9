/** Runs a fixture through the judge, and holds what came of it against what must come: no fewer records and no more. */

import { SliceList } from '../../src/bytes/slices.js';
import { WireError } from '../../src/bytes/wire-error.js';
import { StreamJudge } from '../../src/judge/judge.js';
import { DEFAULT_AMF_LIMITS } from '../../src/rtmp/limits.js';
import { readDataMessage } from '../../src/rtmp/messages/command.js';
import { MESSAGE_TYPE } from '../../src/rtmp/protocol.js';
import { catalogueEntry } from '../../src/rules/registry/catalogue.js';
import type { RecordBody } from '../../src/spec/error-record.js';
import { arrivals } from './fixture-arrival.js';
import type { Delivery, Expected, ExpectedRecord, Fixture, Need, Recipe } from './fixtures.js';
import type { SynthMessage } from './synth-stream.js';

/** A record by whichever way it was got, times in the stream. */
export interface Found {
  readonly code: number;
  readonly atMs: number;
  readonly clearedMs: number | undefined;
  readonly text: string;
  /** What the stream alone decides: severity, count, and the values that were seen. Absent: not known. */
  readonly seen?: Seen;
}

interface Seen {
  readonly severity: string;
  readonly count: number;
  readonly observed?: unknown;
  readonly worst?: unknown;
  readonly limit?: unknown;
}

/** What a record says that must be the same from a file, from a simulated connection and from a server. */
export function seenIn({ severity, count, observed, worst, limit }: Seen): Seen {
  return { severity, count, observed, worst, limit };
}

/** Why records differ although the rule is judged by media. The stream says the rest of them. */
const DIFFERS: Readonly<Record<number, 'time' | 'all'>> = {
  // At the start, the clock of a connection decides, and in a file the other track.
  6401: 'all',
  6402: 'all',
  // A file is sampled less often after some minutes.
  6806: 'time',
};

const FIRST_CAUSE = 6901;

/** Records that a file and a connection must share, a line each. Causes need the arrival. */
export function linesOf(found: readonly Found[]): string[] {
  return found
    .filter(({ code }) => catalogueEntry(code).judgedBy !== 'arrival' && code < FIRST_CAUSE)
    .map(({ code, atMs, seen }) => {
      const differs = DIFFERS[code];
      if (differs === 'all') return `${code}`;
      return `${code}${differs === 'time' ? '' : ` at ${atMs} ms`} ${JSON.stringify(seen)}`;
    })
    .sort();
}

const START_MS = Date.UTC(2026, 0, 15, 12);

class Run {
  readonly judge: StreamJudge;
  readonly #records = new Map<string, RecordBody>();
  #messages = 0;
  #bytes = 0;

  constructor(mode: 'file' | 'live', { secure, recipe }: { readonly secure: boolean; readonly recipe: Recipe }) {
    const { loudnessTarget } = recipe;
    this.judge = new StreamJudge({
      broadcastId: '900100',
      fence: 1,
      mode,
      secure,
      startWallMs: START_MS,
      loudnessTarget,
    });
    this.judge.connect({ wallMs: START_MS, atMs: 0 });
    if (mode === 'live') this.judge.goLive({ wallMs: START_MS, atMs: 0 });
  }

  feed({ kind, timestampMs, payload }: SynthMessage, atMs: number): void {
    const slices = SliceList.of(payload);
    const number = ++this.#messages;
    if (kind === 'video')
      this.judge.video({ payload: slices, timestampMs, messageNumber: number, byteOffset: this.#bytes, atMs });
    else if (kind === 'audio')
      this.judge.audio({ payload: slices, timestampMs, messageNumber: number, byteOffset: this.#bytes, atMs });
    else this.#data(slices, timestampMs, atMs);
    this.#bytes += payload.length;
    this.take();
  }

  take(): void {
    if (!this.judge.changed) return;
    for (const { body } of this.judge.takeChanges()) this.#records.set(body.id, body);
  }

  get records(): RecordBody[] {
    return [...this.#records.values()];
  }

  #data(payload: SliceList, timestampMs: number, atMs: number): void {
    try {
      const { name, values } = readDataMessage(MESSAGE_TYPE.dataAmf0, payload, DEFAULT_AMF_LIMITS, 65_536);
      if (name === 'onMetaData') this.judge.metadata(values[0], atMs);
      else this.judge.data(name, values, timestampMs, atMs);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
    }
  }
}

/** Without a clock, as a file. */
export function judgeAsFile({ recipe }: Fixture, messages: Iterable<SynthMessage>): Found[] {
  const run = new Run('file', { secure: true, recipe });
  for (const message of messages) run.feed(message, 0);
  run.judge.end({ wallMs: START_MS, atMs: 0 });
  run.take();
  return foundIn(run.records);
}

/** As a connection that delivers each message at its own time, with ticks between. */
export function judgeAsSteady(fixture: Fixture, messages: Iterable<SynthMessage>): Found[] {
  return judgeAsDelivered(fixture, messages, { speed: 1 });
}

const TICK_MS = 100;

/** With a clock turned by hand, as the delivery says. What ends in a second connection is for a real server. */
export function judgeAsDelivered({ recipe }: Fixture, messages: Iterable<SynthMessage>, delivery: Delivery): Found[] {
  const run = new Run('live', { secure: delivery.plain !== true, recipe });
  const arrival = arrivals(delivery);
  const stalls = [...(delivery.stalls ?? [])];
  let atMs = 0;
  let tickedMs = 0;
  const now = () => ({ wallMs: START_MS + atMs, atMs });
  const until = (toMs: number): void => {
    for (; tickedMs + TICK_MS <= toMs; ) {
      tickedMs += TICK_MS;
      atMs = Math.max(atMs, tickedMs);
      const lateMs = stalls[0] !== undefined && atMs >= stalls[0].atMs ? (stalls.shift()?.forMs ?? 0) : 0;
      tickedMs += lateMs;
      atMs += lateMs;
      run.judge.tick({ ...now(), own: { lateMs } });
      run.take();
    }
    atMs = Math.max(atMs, toMs);
  };
  for (const message of messages) {
    until(arrival(message));
    run.feed(message, atMs);
  }
  run.judge.disconnect({ ...now(), clean: delivery.ends === undefined });
  if (delivery.ends !== undefined) run.judge.note(delivery.ends === 'taken-over' ? 6504 : 6503, { observed: '', atMs });
  run.judge.end(now());
  run.take();
  return foundIn(run.records);
}

function foundIn(records: readonly RecordBody[]): Found[] {
  return records.map((body) => ({
    code: body.error_code,
    atMs: body.stream_time_ms,
    clearedMs: body.cleared_time_ms === null ? undefined : body.cleared_time_ms - START_MS,
    text: body.description,
    seen: seenIn(body),
  }));
}

/** `arrival`: also what only the clock shows. `has`: what the test provides beside the stream. */
export function expectedRecords(
  expected: Expected,
  { arrival, has = [] }: { readonly arrival: boolean; readonly has?: readonly Need[] },
): ExpectedRecord[] {
  return expected.errors.filter(
    ({ code, live_only, needs }) =>
      (arrival || (live_only !== true && catalogueEntry(code).judgedBy !== 'arrival')) &&
      (needs === undefined || has.includes(needs)),
  );
}

/**
 * What differs, a line each; empty when all is as it must be. Order within a code counts, and the window of each record.
 * A line begins with `missing`, `surplus` or `time`.
 */
export function differences(found: readonly Found[], expected: readonly ExpectedRecord[], slackMs = 0): string[] {
  const lines: string[] = [];
  const codes = [...new Set([...found.map(({ code }) => code), ...expected.map(({ code }) => code)])].sort();
  for (const code of codes) {
    const have = found.filter((one) => one.code === code).sort((a, b) => a.atMs - b.atMs);
    const want = expected.filter((one) => one.code === code);
    for (let i = 0; i < Math.max(have.length, want.length); i++)
      lines.push(...compare(code, have[i], want[i], slackMs));
  }
  return lines;
}

function compare(code: number, have: Found | undefined, want: ExpectedRecord | undefined, slackMs: number): string[] {
  const name = `${code} ${catalogueEntry(code).type}`;
  if (have === undefined)
    return want === undefined ? [] : [`missing  ${name} in ${want.at_ms.join(' to ')} ms: ${want.why}`];
  if (want === undefined) return [`surplus  ${name} at ${have.atMs} ms: ${have.text}`];
  const [from, to] = want.at_ms;
  const lines: string[] = [];
  if (have.atMs < from - slackMs || have.atMs > to + slackMs) {
    lines.push(`time     ${name} at ${have.atMs} ms, due in ${from} to ${to} ms: ${have.text}`);
  }
  if (want.cleared_ms !== undefined) {
    const [first, last] = want.cleared_ms;
    const cleared = have.clearedMs ?? Number.NaN;
    if (!(cleared >= first - slackMs && cleared <= last + slackMs)) {
      lines.push(`time     ${name} cleared at ${have.clearedMs} ms, due in ${first} to ${last} ms`);
    }
  }
  return lines;
}

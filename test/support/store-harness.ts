/** What the store tests need around a store: a log that keeps its lines, a clock turned by hand, folders, records. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, JournalEntry, Log } from '../../src/ports/index.js';
import type { RecordBody, RecordChange } from '../../src/spec/error-record.js';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

export function memoryLog(): Log & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  const log = { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => log };
  return log;
}

export function handClock(wallMs = 1_700_000_000_000): Clock & { advance(byMs: number): void } {
  let elapsedMs = 0;
  return {
    wallMs: () => wallMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    advance: (byMs) => {
      elapsedMs += byMs;
    },
  };
}

export const realClock: Clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'airlock-store-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The folder of a test file, made again when the file gets a second try; its `afterAll` removes it. */
export function temporaryFolderOfFile(): ReturnType<typeof temporaryFolder> {
  const folder = temporaryFolder();
  beforeAll(() => void mkdirSync(folder.path, { recursive: true }));
  return folder;
}

/** Questions asked in consecutive turns of the event loop; later ones are apart, to leave the processor to what is awaited. */
const EAGER_QUESTIONS = 50;
const PAUSE_MS = 5;
// Taken before a test can replace it by a timer that it turns by hand.
const { setTimeout: setRealTimeout } = globalThis;

/** Asks at each turn of the event loop, for moments that are less than a millisecond apart. */
export async function eachTurnUntil(question: () => boolean): Promise<void> {
  while (!question()) await new Promise((resolve) => setImmediate(resolve));
}

/** Asks again and again, each time after what the question itself waited for. @throws Error when it is never so */
export async function until(question: () => boolean | Promise<boolean>, giveUpMs = 60_000): Promise<void> {
  const startMs = performance.now();
  for (let asked = 1; !(await question()); asked += 1) {
    if (performance.now() - startMs > giveUpMs) throw new Error(`waited in vain until ${question.toString()}`);
    await new Promise<void>((resolve) => {
      if (asked < EAGER_QUESTIONS) setImmediate(resolve);
      else setRealTimeout(resolve, PAUSE_MS);
    });
  }
}

export function recordBody(
  broadcastId: string,
  fence: number,
  number: number,
  over: Partial<RecordBody> = {},
): RecordBody {
  const packet = {
    kind: 'video',
    decodeTimeMs: 4_050,
    presentationTimeMs: 4_083,
    messageNumber: 7,
    byteOffset: 9_000,
  } as const;
  return {
    id: `${broadcastId}_${fence}_${number}`,
    error_code: 6208,
    error_subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR',
    error_type: 'KEY_FRAME_INTERVAL_TOO_LONG',
    description: '[6208 KEY_FRAME_INTERVAL_TOO_LONG] 6.0 s between key frames, the bound is 4 s. Set it to 2 s.',
    severity: 'error',
    timestampMs: 1_700_000_000_000 + number,
    stream_time_ms: 4_050,
    observed: 6_000,
    worst: 6_000,
    limit: 4_000,
    unit: 'ms',
    clause: 'Key frame interval',
    remediation: 'Set the key frame interval to 2 s.',
    cleared_time_ms: null,
    count: 1,
    evidence: { first: packet, last: packet },
    source: 'stream',
    ...over,
  };
}

/** Raises a new record. */
export function raised(
  broadcastId: string,
  fence: number,
  number: number,
  over: Partial<RecordBody> = {},
): JournalEntry {
  return entry(broadcastId, fence, number, { change: 'raised', body: recordBody(broadcastId, fence, number, over) });
}

export function entry(broadcastId: string, fence: number, number: number, change: RecordChange): JournalEntry {
  return { broadcastId, fence, number, change };
}

export async function inTurn<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for (const item of items) await work(item);
}

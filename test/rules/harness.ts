/** Runs synthetic streams through a judge and returns the resulting records. */

import { SliceList } from '../../src/bytes/slices.js';
import { StreamJudge } from '../../src/judge/judge.js';
import type { JudgeOptions } from '../../src/judge/judge-options.js';
import type { EncoderSetup } from '../../src/lifecycle/encoder-setup.js';
import type { RecordBody, RecordChange } from '../../src/spec/error-record.js';
import { type SynthMessage, type SynthOptions, synthStream } from '../support/synth-stream.js';

export const START_WALL_MS = Date.UTC(2026, 0, 15, 12, 0, 0);

export function newJudge(options: Partial<JudgeOptions> = {}): StreamJudge {
  return new StreamJudge({
    broadcastId: '900100',
    fence: 1,
    mode: 'file',
    secure: true,
    startWallMs: START_WALL_MS,
    ...options,
  });
}

export interface Counter {
  messages: number;
  bytes: number;
}

/** Feeds one message at a monotonic time, which has no effect offline. */
export function feed(judge: StreamJudge, message: SynthMessage, counter: Counter, atMs = 0): void {
  const payload = SliceList.of(message.payload);
  if (message.kind === 'video')
    judge.video({
      payload,
      timestampMs: message.timestampMs,
      messageNumber: counter.messages,
      byteOffset: counter.bytes,
      atMs,
    });
  else if (message.kind === 'audio')
    judge.audio({
      payload,
      timestampMs: message.timestampMs,
      messageNumber: counter.messages,
      byteOffset: counter.bytes,
      atMs,
    });
  else judge.metadata({ encoder: 'Lavf59.27.100' }, atMs);
  counter.messages++;
  counter.bytes += message.payload.length;
}

export interface Run {
  readonly judge: StreamJudge;
  readonly changes: readonly RecordChange[];
  /** The final state of each record, in the order of raising. */
  readonly records: readonly RecordBody[];
}

/** The final records that a list of changes produces. */
export function recordsOf(changes: readonly RecordChange[]): RecordBody[] {
  const records = new Map<string, RecordBody>();
  for (const { body } of changes) records.set(body.id, body);
  return [...records.values()];
}

/** Judges a complete stream as a file, without a clock. */
export function judgeStream(stream: SynthOptions | Iterable<SynthMessage>, options: Partial<JudgeOptions> = {}): Run {
  const judge = newJudge(options);
  judge.connect({ wallMs: START_WALL_MS, atMs: 0 });
  const counter = { messages: 0, bytes: 0 };
  const changes: RecordChange[] = [];
  const messages = Symbol.iterator in stream ? stream : synthStream(stream);
  for (const message of messages) {
    feed(judge, message, counter);
    if (judge.changed) changes.push(...judge.takeChanges());
  }
  judge.end({ wallMs: START_WALL_MS, atMs: 0 });
  changes.push(...judge.takeChanges());
  return { judge, changes, records: recordsOf(changes) };
}

export function codesOf(stream: SynthOptions | Iterable<SynthMessage>): number[] {
  return [...new Set(judgeStream(stream).records.map((record) => record.error_code))].sort((a, b) => a - b);
}

/** The only record of a code. Throws when there is none or more than one. */
export function only(run: Run, code: number): RecordBody {
  const found = run.records.filter((record) => record.error_code === code);
  if (found.length !== 1) throw new Error(`${found.length} records of ${code}, one expected`);
  return found[0] as RecordBody;
}

/** Stream times of a code's changes of one kind. */
export function timesOf(run: Run, code: number, change: RecordChange['change']): number[] {
  return run.changes
    .filter((one) => one.change === change && one.body.error_code === code)
    .map(({ body }) => (change === 'cleared' ? (body.cleared_time_ms ?? 0) - START_WALL_MS : body.stream_time_ms));
}

/** A live stream on a simulated clock: ticks every 100 ms, packets at their time. */
export class LiveRun {
  readonly judge: StreamJudge;
  readonly changes: RecordChange[] = [];
  readonly counter: Counter = { messages: 0, bytes: 0 };
  /** Monotonic; wall time is `START_WALL_MS` plus this. */
  atMs = 1_000_000;
  /** What a look at the socket finds, at this monotonic time. */
  outOfOrder: (atMs: number) => number | undefined = () => undefined;

  constructor(options: Partial<JudgeOptions> = {}) {
    this.judge = newJudge({ mode: 'live', startWallMs: START_WALL_MS + 1_000_000, ...options });
  }

  get now(): { wallMs: number; atMs: number } {
    return { wallMs: START_WALL_MS + this.atMs, atMs: this.atMs };
  }

  connect(clientName = 'FMLE/3.0 (compatible; FMSc/1.0)', announced?: EncoderSetup): this {
    this.counter.messages = 0;
    this.counter.bytes = 0;
    this.judge.connect({ ...this.now, clientName, announced });
    return this.take();
  }

  goLive(): this {
    this.judge.goLive(this.now);
    return this.take();
  }

  #nextTickMs = 0;

  /** Advances the clock with ticks only. */
  wait(ms: number): this {
    return this.#until(this.atMs + ms);
  }

  #until(atMs: number): this {
    this.#nextTickMs = Math.max(this.#nextTickMs, this.atMs);
    for (; this.#nextTickMs <= atMs; this.#nextTickMs += 100) {
      this.atMs = this.#nextTickMs;
      this.judge.tick({ ...this.now, own: { lateMs: 0, outOfOrder: this.outOfOrder(this.atMs) } });
      this.take();
    }
    this.atMs = Math.max(this.atMs, atMs);
    return this;
  }

  /** Sends a stream at `speed` times real time; the first message is sent at once. */
  send(options: SynthOptions, speed = 1): this {
    const startAtMs = this.atMs;
    let firstMs: number | undefined;
    let lastMs = 0;
    let unwrappedMs = 0;
    for (const message of synthStream(options)) {
      firstMs ??= message.timestampMs;
      lastMs = firstMs + unwrappedMs;
      unwrappedMs += (message.timestampMs - (lastMs % 2 ** 32)) | 0;
      const dueMs = startAtMs + unwrappedMs / speed;
      this.#until(dueMs);
      feed(this.judge, message, this.counter, this.atMs);
      this.take();
    }
    return this;
  }

  /** Sends a stream whose messages arrive when `arrivesAtMs` says, given when they are due; undefined: never. In order. */
  deliver(
    stream: SynthOptions | Iterable<SynthMessage>,
    arrivesAtMs: (dueMs: number, message: SynthMessage) => number | undefined,
  ): this {
    const startAtMs = this.atMs;
    for (const message of Symbol.iterator in stream ? stream : synthStream(stream)) {
      const atMs = arrivesAtMs(message.timestampMs, message);
      if (atMs === undefined) continue;
      this.#until(Math.max(this.atMs, startAtMs + atMs));
      feed(this.judge, message, this.counter, this.atMs);
      this.take();
    }
    return this;
  }

  /** A tick that runs late, as after a stop of the server. */
  stall(ms: number): this {
    this.atMs += ms;
    this.#nextTickMs = this.atMs + 100;
    this.judge.tick({ ...this.now, own: { lateMs: ms } });
    return this.take();
  }

  disconnect(clean = true): this {
    this.judge.disconnect({ ...this.now, clean });
    return this.take();
  }

  end(): this {
    this.judge.end(this.now);
    return this.take();
  }

  take(): this {
    if (this.judge.changed) this.changes.push(...this.judge.takeChanges());
    return this;
  }

  get records(): RecordBody[] {
    return recordsOf(this.changes);
  }

  get codes(): number[] {
    return [...new Set(this.records.map((record) => record.error_code))].sort((a, b) => a - b);
  }
}

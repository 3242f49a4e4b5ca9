/** The encoder that does everything right while others do not: afterwards every packet of it must be in its recording. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import { catalogueEntry } from '../../src/rules/registry/catalogue.js';
import type { Airlock } from './airlock.js';
import { Publisher, paced } from './publisher.js';
import { type SynthMessage, synthStream } from './synth-stream.js';

export interface Account {
  /** The connection was closed, by whomever, before the encoder stopped. */
  readonly closed: boolean;
  /** Time stamps of the recording from its first packet on, and the same of what was sent. */
  readonly recorded: readonly string[];
  readonly sent: readonly string[];
  /** Codes of the records of its broadcast since the last look, without those of the arrival where this process sent late. */
  readonly errors: readonly number[];
}

/** Later than this, what is judged by arrival is the fault of a test process that got no processor. */
const LATE_MS = 300;

export class Bystander {
  readonly liveVideoId: string;
  readonly key: string;
  readonly #airlock: Airlock;
  readonly #publisher: Publisher;
  readonly #sent: string[] = [];
  readonly #sending: Promise<void>;
  #stopped = false;
  /** Since the last look at the records. */
  #latestMs = 0;
  readonly #seen = new Set<string>();

  /** Publishes 360p30 at the speed of time until `account`; resolves when the server has it LIVE. */
  static async start(airlock: Airlock, authorityFile = airlock.authorityFile): Promise<Bystander> {
    const live = await airlock.createLive();
    const publisher = await Publisher.open(airlock, live.key, 'live', { authorityFile });
    const bystander = new Bystander(airlock, live, publisher);
    await airlock.until(
      () => airlock.get(`/${live.id}`, { fields: 'status' }),
      (body) => body.status === 'LIVE',
    );
    return bystander;
  }

  private constructor(airlock: Airlock, live: { id: string; key: string }, publisher: Publisher) {
    this.#airlock = airlock;
    this.liveVideoId = live.id;
    this.key = live.key;
    this.#publisher = publisher;
    const stream = synthStream({ durationMs: 600_000, videoKbps: 600, width: 640, height: 360, levelIdc: 30 });
    this.#sending = publisher.send(this.#noted(paced(stream)));
  }

  async *#noted(messages: AsyncIterable<SynthMessage>): AsyncGenerator<SynthMessage> {
    const startedMs = performance.now();
    for await (const message of messages) {
      if (this.#stopped) return;
      this.#latestMs = Math.max(this.#latestMs, performance.now() - startedMs - message.timestampMs);
      this.#sent.push(`${message.kind} ${message.timestampMs}`);
      yield message;
    }
  }

  /** While it goes on: how it fared since the last call. */
  async sinceLast(): Promise<Pick<Account, 'closed' | 'errors'>> {
    return { closed: this.#publisher.closed, errors: await this.#newErrors() };
  }

  /** Codes of new records, without those of the arrival if this process sent late meanwhile. */
  async #newErrors(): Promise<number[]> {
    const late = this.#latestMs >= LATE_MS;
    this.#latestMs = 0;
    const rows = (await this.#airlock.errors(this.liveVideoId)).filter(({ id }) => !this.#seen.has(id));
    for (const { id } of rows) this.#seen.add(id);
    return rows.map((row) => row.error_code).filter((code) => !late || !isByArrival(code));
  }

  /** Stops as encoders do, and compares. */
  async account(): Promise<Account> {
    // Enough to compare, however short the rest of the test was.
    await this.#airlock.until(
      async () => this.#sent.length,
      (count) => count > 60 || this.#publisher.closed,
    );
    this.#stopped = true;
    await this.#sending;
    const { closed } = this.#publisher;
    await this.#publisher.stop();
    const last = this.#sent.at(-1);
    const recorded = await this.#airlock.until(
      async () => recordedIn(join(this.#airlock.folder, 'data', 'recordings', this.liveVideoId)),
      (found) => closed || found.at(-1) === last,
    );
    const first = recorded.find((tag) => this.#sent.includes(tag)) ?? '';
    return {
      closed,
      recorded: recorded.slice(recorded.indexOf(first)),
      sent: this.#sent.slice(this.#sent.indexOf(first)),
      errors: await this.#newErrors(),
    };
  }
}

const isByArrival = (code: number): boolean => catalogueEntry(code).judgedBy === 'arrival';

/** Fails unless it was left alone. */
export async function expectUntouched(bystander: Bystander): Promise<void> {
  const { closed, recorded, sent, errors } = await bystander.account();
  expect(closed).toBe(false);
  expect(sent.length).toBeGreaterThan(30);
  expect(recorded).toEqual(sent);
  expect(errors).toEqual([]);
}

/** For one that publishes beside all tests of a file, after each. */
export async function expectStillUntouched(bystander: Bystander): Promise<void> {
  expect(await bystander.sinceLast()).toEqual({ closed: false, errors: [] });
}

function recordedIn(folder: string): string[] {
  const tags: string[] = [];
  for (const name of readdirSync(folder).sort()) {
    const reader = new FlvFileReader({ tag: (kind, timestampMs) => tags.push(`${kind} ${timestampMs}`) });
    reader.push(readFileSync(join(folder, name)));
  }
  return tags;
}

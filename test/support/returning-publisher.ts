/** A byte-level encoder that sends a clip in real time, and connects again whenever it is asked to or disconnected. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../src/lib/errors.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import type { Airlock } from './airlock.js';
import { Publisher, paced, type Way } from './publisher.js';
import type { SynthMessage } from './synth-stream.js';

const FRAME_MS = 33;
const RECONNECT_REQUEST = 'NetConnection.Connect.ReconnectRequest';

/** The tags of an FLV file. */
export function readClip(path: string): SynthMessage[] {
  const messages: SynthMessage[] = [];
  new FlvFileReader({
    tag: (kind, timestampMs, payload) => {
      messages.push({ kind, timestampMs, payload: payload.copy(0, payload.length) });
    },
  }).push(readFileSync(path));
  return messages;
}

export interface Session {
  /** Milliseconds from the last packet of the session before to the accepted publish of this one. */
  readonly gapMs: number;
  /** Milliseconds of the clip that were sent. */
  sentMs: number;
  /** The same at the beginning of the fault that ended the session. */
  markedMs?: number;
  /** The publisher stopped by itself. */
  wasStopped: boolean;
  wasAsked: boolean;
}

/** A fault of the server, seen from the stream. */
interface Mark {
  readonly sentMs: number;
  /** A session that ends later than this was not ended by the fault. */
  untilMs: number;
}

/** A server that was cut off notices some seconds after it is back that another one took over. */
const AFTER_FAULT_MS = 20_000;

/** How it leaves when it is asked to reconnect. */
type WhenAsked = 'unpublish' | 'drop';

export class ReturningPublisher {
  readonly sessions: Session[] = [];
  /** Why a connection or a publish failed. */
  readonly failures: string[] = [];
  /** The IDs of all records that it was notified of. */
  readonly pushed = new Set<string>();
  readonly #airlock: Airlock;
  readonly #key: string;
  readonly #clip: readonly SynthMessage[];
  readonly #way: Way;
  readonly #whenAsked: WhenAsked;
  #publisher: Publisher | undefined;
  #marks: Mark[] = [];
  #isStopped = false;
  #lastSentMs = 0;
  #onSession: () => void = () => undefined;

  constructor(
    airlock: Airlock,
    key: string,
    clip: readonly SynthMessage[],
    way: Way = {},
    whenAsked: WhenAsked = 'unpublish',
  ) {
    this.#airlock = airlock;
    this.#key = key;
    this.#clip = clip;
    this.#way = way;
    this.#whenAsked = whenAsked;
  }

  /** Until `stop`. */
  async run(): Promise<void> {
    this.#lastSentMs = performance.now();
    while (!this.#isStopped) {
      const publisher = await this.#open();
      if (publisher === undefined) continue;
      this.#publisher = publisher;
      const gapMs = performance.now() - this.#lastSentMs;
      const session: Session = { gapMs, sentMs: 0, wasAsked: false, wasStopped: false };
      this.sessions.push(session);
      this.#marks = [];
      this.#onSession();
      await publisher.send(this.#untilAsked(publisher, session));
      session.wasStopped = this.#isStopped && !publisher.closed;
      const marks = this.#marks.filter(({ untilMs }) => untilMs > performance.now());
      if (marks.length > 0) session.markedMs = Math.min(...marks.map(({ sentMs }) => sentMs));
      if (session.wasAsked && this.#whenAsked === 'drop') publisher.cut();
      await publisher.stop();
      this.#keepPushed(publisher);
    }
  }

  /** Resolves when so many publishes were accepted. */
  async accepted(count: number): Promise<void> {
    while (this.sessions.length < count) {
      await new Promise<void>((resolve) => {
        this.#onSession = resolve;
      });
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Remembers what was sent until now: a fault begins. */
  mark(): void {
    const session = this.sessions.at(-1);
    if (session !== undefined && this.isSending) this.#marks.push({ sentMs: session.sentMs, untilMs: Infinity });
  }

  /** The fault is over; it may still end sessions. */
  unmark(): void {
    const untilMs = performance.now() + AFTER_FAULT_MS;
    for (const mark of this.#marks) if (mark.untilMs === Infinity) mark.untilMs = untilMs;
  }

  /** Gives up the connection, as an encoder that notices that its server does not answer. */
  cut(): void {
    this.#publisher?.cut();
  }

  get isSending(): boolean {
    return this.#publisher?.closed === false;
  }

  #keepPushed({ statuses }: Publisher): void {
    for (const { fields } of statuses) if (typeof fields.id === 'string') this.pushed.add(fields.id);
  }

  get statuses(): Publisher['statuses'] {
    return this.#publisher?.statuses ?? [];
  }

  async #open(): Promise<Publisher | undefined> {
    try {
      const publisher = await Publisher.open(this.#airlock, this.#key, 'live', this.#way);
      const [first] = publisher.statuses;
      if (first?.code === 'NetStream.Publish.Start') return publisher;
      this.failures.push(first === undefined ? 'closed' : `${first.code} ${first.description}`);
      publisher.cut();
    } catch (error) {
      this.failures.push(codeOf(error) || String(error));
    }
    await sleep(50);
    return undefined;
  }

  async *#untilAsked(publisher: Publisher, session: Session): AsyncGenerator<SynthMessage> {
    for await (const message of paced(repeated(this.#clip))) {
      session.wasAsked = publisher.statuses.some(({ code }) => code === RECONNECT_REQUEST);
      if (this.#isStopped || publisher.closed || session.wasAsked) return;
      session.sentMs = message.timestampMs;
      this.#lastSentMs = performance.now();
      yield message;
    }
  }
}

/** The clip again and again, with times that go on. */
function* repeated(clip: readonly SynthMessage[]): Generator<SynthMessage> {
  const lengthMs = (clip.at(-1)?.timestampMs ?? 0) + FRAME_MS;
  for (let startMs = 0; ; startMs += lengthMs) {
    for (const message of clip) yield { ...message, timestampMs: startMs + message.timestampMs };
  }
}

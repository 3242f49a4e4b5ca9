/** One run of a case: its connections, its keys, and its notes. */
import type { AmfValue } from '../rtmp/amf/amf-value.js';
import { HANDSHAKE_BYTES } from '../rtmp/handshake/digest.js';
import { Dialogue, type Heard, type Notes } from './dialogue.js';
import { CONFORM_LIMITS } from './limits.js';
import { filled } from './media.js';
import type { Line, Peer, Way } from './peer.js';
import { KeyBusy, NotApplicable, Undecided, Unmet } from './verdicts.js';

export interface TrialOptions {
  readonly peer: Peer;
  /** Number that the case asks for. */
  readonly keys: readonly string[];
  readonly timeoutMs: number;
  readonly pause: (ms: number) => Promise<void>;
}

/** C0 and C1 of the plain handshake: time and version 0, then fixed bytes in place of random ones. */
export const HELLO = new Uint8Array([3, ...new Uint8Array(8), ...filled(HANDSHAKE_BYTES - 8, 5)]);

const CREATE_STREAM = 4;
const PUBLISH = 5;

export class Trial {
  readonly peer: Peer;
  readonly timeoutMs: number;
  readonly notes: Notes = { sent: [], expected: [], came: [] };
  readonly #options: TrialOptions;
  readonly #dialogues: Dialogue[] = [];
  readonly #lines: Line[] = [];
  #sent = 0;
  #isStopped = false;

  constructor(options: TrialOptions) {
    this.#options = options;
    this.peer = options.peer;
    this.timeoutMs = options.timeoutMs;
  }

  key(at = 0): string {
    const key = this.#options.keys[at];
    if (key === undefined) throw new RangeError('the case uses a key that it does not declare');
    return key;
  }

  /** The case does not apply. @throws NotApplicable */
  skip(why: string): never {
    throw new NotApplicable(why);
  }

  /** The case cannot be judged. @throws Undecided */
  undecided(why: string): never {
    throw new Undecided(why);
  }

  /** @throws Unmet */
  check(expected: string, holds: boolean, came: string): void {
    this.notes.expected.push(expected);
    if (!holds) throw new Unmet(expected, came);
    this.notes.came.push(came);
  }

  pause(ms: number): Promise<void> {
    return this.#options.pause(ms);
  }

  // ---------------------------------------------------------------- connections

  /** A connection on which nothing has been sent. @throws UnreachableError */
  async open(way?: Way): Promise<Dialogue> {
    if (this.#dialogues.length >= CONFORM_LIMITS.connections)
      throw new RangeError('the case opens too many connections');
    const line = await this.line(way);
    const dialogue = new Dialogue(line, this.notes, this.timeoutMs, (count) => {
      this.#sent += count;
      if (this.#sent > CONFORM_LIMITS.sentBytes) throw new RangeError('the case sends too much');
    });
    this.#dialogues.push(dialogue);
    return dialogue;
  }

  /** The bare connection, for TLS. @throws UnreachableError */
  async line(way?: Way): Promise<Line> {
    if (this.#isStopped) this.undecided('the case was stopped');
    const line = await this.peer.open(way);
    this.#lines.push(line);
    return line;
  }

  /** After the plain handshake. */
  async shaken(way?: Way): Promise<Dialogue> {
    const dialogue = await this.open(way);
    await this.#given('the handshake', async () => {
      await dialogue.raw('C0, C1', HELLO);
      const { s1 } = await dialogue.expectHandshake();
      await dialogue.raw('C2', s1);
    });
    return dialogue;
  }

  /** After the answer to connect. */
  connected(properties: Readonly<Record<string, AmfValue>> = {}): Promise<Dialogue> {
    return this.#given('connect', async () => {
      const dialogue = await this.shaken();
      await this.connect(dialogue, properties);
      await dialogue.expectAnswer(1);
      return dialogue;
    });
  }

  connect(dialogue: Dialogue, properties: Readonly<Record<string, AmfValue>> = {}): Promise<void> {
    const { app, tcUrl } = this.peer;
    return dialogue.command(0, 'connect', 1, {
      app,
      type: 'nonprivate',
      flashVer: FLASH_VERSION,
      tcUrl,
      ...properties,
    });
  }

  /** After the answer to createStream. */
  created(properties: Readonly<Record<string, AmfValue>> = {}): Promise<Dialogue> {
    return this.#given('createStream', async () => {
      const dialogue = await this.connected(properties);
      await this.createStream(dialogue);
      return dialogue;
    });
  }

  async createStream(dialogue: Dialogue, transactionId = CREATE_STREAM): Promise<number> {
    await dialogue.command(0, 'createStream', transactionId, null);
    const { command } = await dialogue.expectAnswer(transactionId);
    const id = command?.args[0];
    dialogue.streamId = typeof id === 'number' ? id : 1;
    return dialogue.streamId;
  }

  /** After the publish was accepted. Whatever it needed is not part of what the case reports as expected. */
  publishing(properties: Readonly<Record<string, AmfValue>> = {}, name?: string): Promise<Dialogue> {
    return this.#given('a publish', async () => {
      for (let attempt = 0; ; attempt++) {
        const dialogue = await this.created(properties);
        const refusal = await this.publish(dialogue, name ?? this.key());
        if (refusal === undefined) return dialogue;
        const text = `${refusal.info.code} (${refusal.info.description})`;
        if (!isBusy(refusal)) throw new Unmet('NetStream.Publish.Start', text);
        // The key of a publish that has just ended may not be free yet.
        if (attempt >= CONFORM_LIMITS.busyRetries) throw new KeyBusy(text);
        dialogue.line.close('end');
        await this.pause(CONFORM_LIMITS.busyPauseMs);
      }
    });
  }

  /** Sends publish and waits for the answer: undefined when it is accepted. @throws Unmet when there is none */
  async publish(dialogue: Dialogue, name: string): Promise<Heard | undefined> {
    await dialogue.command(dialogue.streamId, 'publish', PUBLISH, null, name, 'live');
    const status = await dialogue.expect(
      'onStatus of the publish',
      () => dialogue.statuses().find(({ info }) => info.code === 'NetStream.Publish.Start' || info.level === 'error'),
      Math.max(this.timeoutMs, ADMISSION_MS),
    );
    return status.info.code === 'NetStream.Publish.Start' ? undefined : status;
  }

  /** A plain publish from the start to its end, as an encoder makes it. @throws Unmet, UnreachableError */
  async plainPublish(): Promise<void> {
    const dialogue = await this.publishing();
    await dialogue.media();
    await dialogue.expectServed('media is read: createStream is answered');
    await this.unpublish(dialogue);
  }

  async unpublish(dialogue: Dialogue): Promise<void> {
    await dialogue.command(0, 'FCUnpublish', 6, null, this.key());
    await dialogue.command(0, 'deleteStream', 7, null, dialogue.streamId);
    dialogue.line.close('end');
  }

  /** Whatever fails in here is no verdict on the case. Its notes are not kept. */
  async #given<T>(what: string, run: () => Promise<T>): Promise<T> {
    const { sent, expected, came } = this.notes;
    const [wasSent, wasExpected, hadCome] = [sent.length, expected.length, came.length];
    try {
      const result = await run();
      sent.splice(wasSent, sent.length, what);
      return result;
    } catch (error) {
      if (error instanceof Unmet) throw new Undecided(`no ${error.expected} before the case began: ${error.came}`);
      throw error;
    } finally {
      expected.length = wasExpected;
      came.length = hadCome;
    }
  }

  /** Drops all connections, and opens no other: the case ends soon. */
  stop(): void {
    this.#isStopped = true;
    for (const line of this.#lines) line.close('drop');
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Ends all connections: those that publish as encoders do. */
  async end(): Promise<void> {
    for (const dialogue of this.#dialogues) {
      const isPublishing = dialogue.statuses().some(({ info }) => info.code === 'NetStream.Publish.Start');
      if (isPublishing && !dialogue.line.isClosed)
        await dialogue.command(0, 'deleteStream', 0, null, dialogue.streamId);
    }
    for (const line of this.#lines) if (!line.isClosed) line.close('drop');
  }
}

const FLASH_VERSION = 'FMLE/3.0 (compatible; npx airlock conform)';
/** Servers may hold a publish while they ask others. */
const ADMISSION_MS = 8_000;

/** Whether a refusal says that another encoder has the key. */
export function isBusy({ info }: Heard): boolean {
  return (
    /already|in use|busy|publishing/i.test(`${info.description}`) && /BadName|Rejected|Denied/.test(`${info.code}`)
  );
}

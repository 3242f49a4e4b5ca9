/** Runs cases against a peer: friendly ones side by side, hostile ones alone and each followed by a plain publish. */
import type { Case, Result } from './case.js';
import { CONFORM_LIMITS } from './limits.js';
import { type Peer, UnreachableError } from './peer.js';
import { Trial } from './trial.js';
import { KeyBusy, NotApplicable, Undecided, Unmet } from './verdicts.js';

export interface RunOptions {
  readonly peer: Peer;
  readonly keys: readonly string[];
  readonly timeoutMs: number;
  readonly pause: (ms: number) => Promise<void>;
  /** One case after the other, so that it is clear which one a peer ends from. */
  readonly inTurn?: boolean;
  /** Ends the run early: cases that have not begun are unknown. */
  readonly stop?: AbortSignal;
  /** After each case, in order of their ends. */
  readonly took?: (result: Result) => void;
}

export interface Run {
  readonly results: readonly Result[];
  /** Ids of the cases that ran when the peer stopped to accept connections. */
  readonly died: readonly string[] | undefined;
}

export async function runCases(cases: readonly Case[], options: RunOptions): Promise<Run> {
  return new Runner(options).run(cases);
}

class Runner {
  readonly #options: RunOptions;
  readonly #results = new Map<string, Result>();
  readonly #running = new Set<string>();
  #died: readonly string[] | undefined;
  #busy: KeyBusy | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
  }

  async run(cases: readonly Case[]): Promise<Run> {
    const friendly = cases.filter(({ hostile, waitsMs }) => hostile !== true && waitsMs === undefined);
    const slow = Promise.all(cases.filter(({ waitsMs }) => waitsMs !== undefined).map((each) => this.#one(each)));
    await this.#sideBySide(friendly);
    // A peer that ends from a hostile case would close the connections of these.
    await slow;
    for (const each of cases) if (each.hostile === true) await this.#hostile(each);
    if (this.#busy !== undefined) throw this.#busy;
    return { results: cases.flatMap(({ id }) => this.#results.get(id) ?? []), died: this.#died };
  }

  get #isOver(): boolean {
    return this.#died !== undefined || this.#busy !== undefined || this.#options.stop?.aborted === true;
  }

  /** Cases without a key in many lanes; those with keys in as many as there are keys for. */
  async #sideBySide(cases: readonly Case[]): Promise<void> {
    const { keys, inTurn } = this.#options;
    if (inTurn === true) {
      for (const each of cases) await this.#one(each, keys.slice(0, each.keys ?? 0));
      return;
    }
    const lane = async (queue: Case[], laneKeys: readonly string[]) => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await this.#one(next, laneKeys);
    };
    const [none, one, two] = [0, 1, 2].map((count) => cases.filter((each) => (each.keys ?? 0) === count)) as [
      Case[],
      Case[],
      Case[],
    ];
    await Promise.all([
      ...Array.from({ length: CONFORM_LIMITS.parallel }, () => lane(none, [])),
      ...keys.map((key) => lane(one, [key])),
    ]);
    await lane(two, keys.slice(0, 2));
  }

  async #hostile(each: Case): Promise<void> {
    const { peer, timeoutMs, keys, pause } = this.#options;
    const bystander = new Trial({ peer, keys: [], timeoutMs, pause });
    const other = this.#isOver ? undefined : await bystander.connected().catch(() => undefined);
    const startMs = performance.now();
    const result = await this.#judged(each, keys);
    const isShort = performance.now() - startMs < BYSTANDER_MS;
    const verdict = result.verdict === 'pass' && !this.#isOver ? await this.#serves(result) : result;
    const isHurt = other !== undefined && verdict.verdict === 'pass' && isShort && !(await this.#isServed(other));
    await bystander.end();
    const came = 'another connection, which had only connected, was closed or is no longer answered';
    this.#keep(isHurt ? { ...verdict, verdict: 'fail', expected: 'other connections go on', came } : verdict);
  }

  async #isServed(dialogue: Awaited<ReturnType<Trial['connected']>>): Promise<boolean> {
    return dialogue.expectServed().then(
      () => true,
      () => false,
    );
  }

  /** A plain publish after the case. Nothing else counts as surviving. */
  async #serves(result: Result): Promise<Result> {
    const { peer, timeoutMs, keys, pause } = this.#options;
    const trial = new Trial({ peer, keys, timeoutMs, pause });
    const problem = await trial.plainPublish().then(
      () => undefined,
      (error: unknown) => error,
    );
    await trial.end();
    if (problem === undefined) return result;
    const isDead = await this.#isDead();
    if (isDead) this.#died = [result.case.id];
    const came = isDead ? 'the peer accepts no connection any more' : `a plain publish fails: ${textOf(problem)}`;
    return { ...result, verdict: 'fail', expected: 'the peer still serves a plain publish', came };
  }

  async #one(each: Case, keys: readonly string[] = []): Promise<void> {
    this.#keep(await this.#judged(each, keys));
  }

  #keep(result: Result): void {
    this.#results.set(result.case.id, result);
    this.#options.took?.(result);
  }

  async #judged(each: Case, keys: readonly string[]): Promise<Result> {
    const { peer, timeoutMs, pause } = this.#options;
    const startMs = performance.now();
    const notes = { sent: '', expected: each.title, came: '' };
    const none = (verdict: 'unknown' | 'skipped', came: string) => ({ case: each, verdict, ...notes, came, ms: 0 });
    if (this.#isOver) return none('unknown', 'the run ended before this case');
    if (each.waitsMs !== undefined && !peer.hasDeadlines) return none('skipped', 'the peer has no clock');
    if (each.needs === 'tls' && !peer.isSecure) return none('skipped', 'needs an rtmps:// URL');
    if (keys.length < (each.keys ?? 0)) return none('skipped', `needs ${each.keys} stream keys: repeat --key`);
    const trial = new Trial({ peer, keys, timeoutMs, pause });
    this.#running.add(each.id);
    const deadlineMs = (each.waitsMs ?? 0) + CONFORM_LIMITS.caseMs;
    const timer = setTimeout(() => trial.stop(), deadlineMs);
    const thrown = await each.run(trial).then(
      () => undefined,
      (problem: unknown) => problem,
    );
    clearTimeout(timer);
    const error = trial.isStopped ? new Undecided(`the case takes longer than ${deadlineMs / 1000} s`) : thrown;
    const { sent, expected, came } = trial.notes;
    const texts = { sent: lastOf(sent), expected: lastOf([...new Set(expected)]), came: lastOf(came) };
    await trial.end();
    const ended = await this.#verdictOf(error);
    this.#running.delete(each.id);
    return {
      case: each,
      ...texts,
      ms: Math.round(performance.now() - startMs),
      ...ended,
    };
  }

  async #verdictOf(error: unknown): Promise<Pick<Result, 'verdict'> & Partial<Pick<Result, 'expected' | 'came'>>> {
    if (error === undefined) return { verdict: 'pass' };
    if (error instanceof Unmet) {
      const { expected, came } = error;
      return (await this.#noteDeath()) ? this.#deadVerdict() : { verdict: 'fail', expected, came };
    }
    if (error instanceof NotApplicable) return { verdict: 'skipped', came: error.message };
    if (error instanceof UnreachableError) {
      if (await this.#noteDeath()) return this.#deadVerdict();
      return { verdict: 'fail', expected: 'a connection', came: error.message };
    }
    if (error instanceof Undecided) {
      return (await this.#noteDeath()) ? this.#deadVerdict() : { verdict: 'unknown', came: error.message };
    }
    if (error instanceof KeyBusy) {
      this.#busy = error;
      return { verdict: 'unknown', came: error.message };
    }
    throw error;
  }

  /** A case that ran alone is the reason; of several, none is known to be. */
  #deadVerdict(): Pick<Result, 'verdict' | 'expected' | 'came'> {
    const suspects = this.#died ?? [];
    const isAlone = suspects.length === 1;
    const came = `the peer accepts no connection any more${isAlone ? '' : `; ${suspects.length} cases ran`}`;
    return { verdict: isAlone ? 'fail' : 'unknown', expected: 'the peer still serves', came };
  }

  async #noteDeath(): Promise<boolean> {
    if (this.#died !== undefined) return true;
    if (!(await this.#isDead())) return false;
    this.#died ??= [...this.#running];
    return true;
  }

  async #isDead(): Promise<boolean> {
    for (let attempt = 0; attempt < CONFORM_LIMITS.deadAttempts; attempt++) {
      if (attempt > 0) await this.#options.pause(CONFORM_LIMITS.busyPauseMs);
      try {
        const line = await this.#options.peer.open();
        await line.receive(CONFORM_LIMITS.aliveMs);
        const isClosed = line.isClosed;
        line.close('drop');
        if (!isClosed) return false;
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
      }
    }
    return true;
  }
}

/** Servers end connections that do not publish after some seconds. */
const BYSTANDER_MS = 4_000;
/** Notes of a long case: the last ones say what it judges. */
const SHOWN_NOTES = 6;

function lastOf(notes: readonly string[]): string {
  const different = notes.filter((note, at) => note !== notes[at - 1]);
  const shown = different.slice(-SHOWN_NOTES).join(', ');
  return different.length > SHOWN_NOTES ? `…, ${shown}` : shown;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Starts the child on demand, restarts it after a crash, and kills one that hangs. */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Clock, Log } from '../../ports/index.js';
import { endOf, type FromChild, STREAM_APP, type ToChild } from '../context/child-messages.js';
import type { ChildProgram } from '../context/deps.js';
import { CHILD_LIMITS } from '../context/limits.js';
import type { RelayEndpoint } from '../relay/relay.js';

/** A running child. Its successor has other ports and another secret. */
export interface Endpoint extends RelayEndpoint {
  readonly pid: number;
  readonly httpPort: number;
  /** The query that authorizes publishing or playing the stream; expires soon. */
  sign(streamName: string): string;
}

export interface SupervisorOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly child?: ChildProgram | undefined;
}

const SIGNED_FOR_S = 60;

export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #program: ChildProgram;
  #child: ChildProcess | undefined;
  #endpoint: Endpoint | undefined;
  #waiting: ((endpoint: Endpoint | undefined) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = 0;
  #closed = false;
  /** How often a child was started, and how often one ended unexpectedly. */
  starts = 0;
  ends = 0;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#program = options.child ?? { path: fileURLToPath(new URL('./child.js', import.meta.url)), execArgv: [] };
  }

  get endpoint(): Endpoint | undefined {
    return this.#endpoint;
  }

  /** Resolves when a child runs, starting one if necessary; `undefined` when the supervisor is closed. */
  ready(): Promise<Endpoint | undefined> {
    if (this.#closed || this.#endpoint !== undefined) return Promise.resolve(this.#endpoint);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#child === undefined && this.#timer === undefined) {
        this.#timer = setTimeout(() => void this.#start(), this.#pauseMs);
      }
    });
  }

  async #start(): Promise<void> {
    this.#timer = undefined;
    const { log, clock } = this.#options;
    const { path, execArgv } = this.#program;
    const startedMs = clock.monotonicMs();
    const secret = randomBytes(24).toString('hex');
    // An empty environment: ours may hold secrets, and the child needs none of it.
    const child = fork(path, [], { execArgv: [...execArgv], env: {}, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#child = child;
    this.starts++;
    let stderr = '';
    let unanswered = 0;
    child.stderr?.on('data', (bytes: Buffer) => {
      stderr = (stderr + bytes.toString()).slice(-CHILD_LIMITS.errorBytes);
    });
    const send = (message: ToChild): void => {
      // A failed send needs no handling: `exit` reports that the child is gone.
      if (child.connected) child.send(message, () => undefined);
    };
    child.on('message', (message: FromChild) => {
      unanswered = 0;
      if (message.type === 'ready') this.#adopt(child, message, secret);
      if (message.type === 'error') log.warn({ pid: child.pid, detail: message.message }, 'playback server error');
    });
    const ping = setInterval(() => {
      if (unanswered++ >= CHILD_LIMITS.pingsMissed) child.kill('SIGKILL');
      else send({ type: 'ping' });
    }, CHILD_LIMITS.pingMs).unref();
    const tooLate = setTimeout(() => {
      if (this.#child === child && this.#endpoint === undefined) child.kill('SIGKILL');
    }, CHILD_LIMITS.startMs).unref();
    send({ type: 'start', secret });
    const cause = await endOf(child);
    clearInterval(ping);
    clearTimeout(tooLate);
    this.#restart({ pid: child.pid, ...cause, stderr }, clock.monotonicMs() - startedMs);
  }

  /** The child listens on these ports. */
  #adopt(child: ChildProcess, ports: { readonly httpPort: number; readonly rtmpPort: number }, secret: string): void {
    if (this.#child !== child || this.#closed) return;
    const { clock, log } = this.#options;
    const endpoint: Endpoint = {
      pid: child.pid ?? 0,
      httpPort: ports.httpPort,
      rtmpPort: ports.rtmpPort,
      sign: (streamName) => {
        const end = Math.floor(clock.wallMs() / 1000) + SIGNED_FOR_S;
        // The signature that node-media-server expects: MD5 of path, expiry and secret.
        const hash = createHash('md5').update(`/${STREAM_APP}/${streamName}-${end}-${secret}`).digest('hex');
        return `sign=${end}-${hash}`;
      },
    };
    this.#endpoint = endpoint;
    log.info({ pid: child.pid }, 'playback server started');
    this.#answer(endpoint);
  }

  /** The child has ended. Starts another one for those that wait; otherwise the next one that asks does. */
  #restart(cause: object, livedMs: number): void {
    this.#child = undefined;
    this.#endpoint = undefined;
    if (this.#closed) return;
    this.ends++;
    const { firstPauseMs, lastPauseMs, soundMs } = CHILD_LIMITS;
    this.#pauseMs =
      livedMs >= soundMs ? firstPauseMs : Math.min(lastPauseMs, Math.max(firstPauseMs, this.#pauseMs * 2));
    this.#options.log.warn({ ...cause, livedMs: Math.round(livedMs) }, 'playback server exited');
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => void this.#start(), this.#pauseMs);
  }

  #answer(endpoint: Endpoint | undefined): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(endpoint);
  }

  /** Resolves when the child has exited. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#endpoint = undefined;
    this.#answer(undefined);
    const child = this.#child;
    if (child === undefined) return;
    const ended = endOf(child);
    // SIGKILL: the child holds no state that needs a clean shutdown.
    child.kill('SIGKILL');
    await ended;
  }
}

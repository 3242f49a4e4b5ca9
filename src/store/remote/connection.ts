/**
 * The connection to the store process, with pipelined calls. While the process is unavailable calls fail at once; nothing
 * is queued or sent twice, so a call that fails with StoreUnavailableError may have been executed, as with Redis.
 */
import { createConnection, type Socket } from 'node:net';
import { PendingCalls } from '../../lib/pending-calls.js';
import { type Log, StoreUnavailableError } from '../../ports/index.js';
import { type Calls, PROTOCOL } from './calls.js';
import { errorOf, type Fault } from './faults.js';
import { eventFrame, FRAME, type Frame, FrameError, FrameReader, jsonFrame, readEvent, TurnWriter } from './frames.js';
import { REMOTE_LIMITS } from './limits.js';

/** A reload replaces the store process last, so the others meet the old one; its version is all that either side knows. */
const OTHER_VERSION =
  'its version and the one of this process do not understand each other. The step between them needs a restart of the whole server (stop it, then start it), not a reload';

type Result<Name extends keyof Calls> = Awaited<ReturnType<Calls[Name]>>;
type Listener = (available: boolean) => void;
type EventListener = (topic: string, message: unknown) => void;

export class StoreConnection {
  readonly #path: string;
  readonly #log: Log;
  readonly #listeners = new Set<Listener>();
  readonly #pending = new PendingCalls({
    late: () => new StoreUnavailableError('the store process did not respond in time'),
    onSilence: () => this.#lose('the store process does not respond'),
  });
  readonly #aliveTimer: NodeJS.Timeout;
  #onEvent: EventListener = () => undefined;
  /** Ends `open` before its time. */
  #refuse: (why: StoreUnavailableError) => void = () => undefined;
  #socket: Socket | undefined;
  #writer: TurnWriter | undefined;
  #retry: NodeJS.Timeout | undefined;
  #available = false;
  #attempts = 0;
  #closed = false;
  #lastError = '';

  /**
   * Resolves when the store process responds. @throws StoreUnavailableError if it does not within `withinMs`, and at once
   * if it is of a version that no later try will understand
   */
  static async open(path: string, log: Log, withinMs: number = REMOTE_LIMITS.openMs): Promise<StoreConnection> {
    const connection = new StoreConnection(path, log);
    try {
      await connection.#firstReady(withinMs);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  private constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
    this.#aliveTimer = setInterval(() => {
      if (this.#available && this.#pending.size === 0) this.call('alive').catch(() => undefined);
    }, REMOTE_LIMITS.aliveMs).unref();
    this.#connect();
  }

  /** @throws StoreUnavailableError, and errors of the store */
  call<Name extends keyof Calls>(name: Name, ...args: Parameters<Calls[Name]>): Promise<Result<Name>> {
    if (!this.#available) return Promise.reject(this.#away());
    const number = this.#pending.nextNumber();
    if (!this.#send(jsonFrame(FRAME.call, [number, name, args])))
      return Promise.reject(this.#away('too many bytes are waiting for the store process'));
    return this.#pending.answerTo<Result<Name>>(number, REMOTE_LIMITS.callMs);
  }

  /** False if the event was not sent to the other processes. */
  publish(topic: string, message: unknown): boolean {
    return this.#available && this.#send(eventFrame(topic, message));
  }

  onEvent(listener: EventListener): void {
    this.#onEvent = listener;
  }

  /** Called whenever the connection is lost or restored, in the order of subscription. */
  onAvailability(listener: Listener): () => void {
    const own: Listener = (available) => listener(available);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  close(): void {
    this.#closed = true;
    this.#listeners.clear();
    clearInterval(this.#aliveTimer);
    clearTimeout(this.#retry);
    const socket = this.#socket;
    // Flushes the last events, but does not wait for a store process that hangs.
    socket?.end();
    socket?.unref();
    this.#socket = undefined;
    this.#available = false;
    this.#pending.failAll(this.#away('the store is closed'));
  }

  #connect(): void {
    const socket = createConnection({ path: this.#path });
    const frames = new FrameReader();
    this.#socket = socket;
    this.#writer = new TurnWriter(socket);
    // The kernel accepts connections for a process that hangs: only its hello shows that it runs.
    const timer = setTimeout(() => this.#lose('the store process does not respond', socket), REMOTE_LIMITS.callMs);
    socket.on('data', (chunk: Buffer) => {
      if (socket !== this.#socket) return;
      this.#pending.heard();
      try {
        for (const frame of frames.push(chunk)) this.#take(frame, timer);
      } catch (error) {
        this.#lose(error instanceof Error ? error.message : 'an unreadable frame', socket);
      }
    });
    socket.on('error', (error) => this.#lose(error.message, socket));
    socket.once('close', () => {
      clearTimeout(timer);
      this.#lose('the store process closed the connection', socket);
    });
  }

  #take(frame: Frame, helloTimer: NodeJS.Timeout): void {
    if (frame.kind === FRAME.event) {
      const { topic, text } = readEvent(frame.payload);
      this.#onEvent(topic, JSON.parse(text.toString()));
      return;
    }
    if (frame.kind === FRAME.hello) {
      const { protocol } = JSON.parse(frame.payload.toString());
      if (protocol !== PROTOCOL) {
        this.#refuse(this.#away(OTHER_VERSION));
        throw new FrameError(OTHER_VERSION);
      }
      clearTimeout(helloTimer);
      this.#attempts = 0;
      this.#set(true);
      return;
    }
    if (frame.kind === FRAME.answer) {
      const [number, result]: readonly [number, unknown] = JSON.parse(frame.payload.toString());
      this.#pending.answered(number, result);
      return;
    }
    if (frame.kind !== FRAME.failure) throw new FrameError(`a frame of kind ${frame.kind}`);
    const [number, fault]: readonly [number, Fault] = JSON.parse(frame.payload.toString());
    this.#pending.failed(number, errorOf(fault));
  }

  /** False if too many bytes are waiting already. */
  #send(frame: Buffer): boolean {
    if (this.#socket === undefined || this.#socket.writableLength > REMOTE_LIMITS.frameBytes) return false;
    this.#writer?.write(frame);
    return true;
  }

  #lose(why: string, socket = this.#socket): void {
    if (socket === undefined || socket !== this.#socket || this.#closed) return;
    this.#lastError = why;
    this.#socket = undefined;
    socket.destroy();
    this.#set(false);
    this.#pending.failAll(this.#away());
    this.#attempts += 1;
    this.#retry = setTimeout(() => this.#connect(), backoffMs(this.#attempts));
  }

  #set(available: boolean): void {
    if (this.#available === available) return;
    this.#available = available;
    if (available) this.#log.info({}, 'the store process is available');
    else this.#log.warn({ cause: this.#lastError }, 'the store process is unavailable');
    for (const listener of [...this.#listeners]) listener(available);
  }

  #firstReady(withinMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(this.#away()), withinMs);
      this.#refuse = (why) => {
        clearTimeout(timer);
        reject(why);
      };
      const stop = this.onAvailability((available) => {
        if (!available) return;
        clearTimeout(timer);
        stop();
        resolve();
      });
    });
  }

  #away(why = this.#lastError): StoreUnavailableError {
    return new StoreUnavailableError(`the store process is unavailable${why === '' ? '' : `: ${why}`}`);
  }
}

/** Exponential backoff up to a second, with jitter so that the processes do not reconnect at once. */
function backoffMs(attempt: number): number {
  const full = Math.min(REMOTE_LIMITS.backoffFirstMs * 2 ** Math.min(attempt - 1, 10), REMOTE_LIMITS.backoffMaxMs);
  return Math.round(full * (0.75 + Math.random() / 4));
}

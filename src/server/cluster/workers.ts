/**
 * Several ingest processes behind one port (`AIRLOCK_WORKERS`). The first process keeps the HTTP interface and starts the
 * others; they share broadcasts through Redis, as several machines do, and nothing else.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Log } from '../../ports/index.js';

export const isWorker = (): boolean => cluster.isWorker;

export interface IngestPorts {
  readonly rtmpsPort: number;
  readonly rtmpPort: number | undefined;
}

interface Failed {
  /** Why the process did not start, with what an explanation of it needs. */
  readonly failed: {
    readonly message: string;
    readonly code?: string;
    readonly port?: number;
    readonly address?: string;
  };
}

interface Listening {
  readonly listening: IngestPorts;
  /** The process as the holder of leases. */
  readonly holder: string;
}

/** A worker that dies is replaced, at most one in this time each, so that a fault at start does not spin. */
const RESTART_MS = 1_000;
/** Less than the whole server has for its end. */
const STOP_MS = 10_000;
/** What a worker that could not start ends with, as the command line does. */
const START_FAILED = 3;

export class Workers {
  readonly #log: Log;
  readonly #holders = new Map<Worker, string>();
  #stopping = false;
  #started = false;
  /** How often one ended that was not told to. */
  ends = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** The processes that listen now, as the holders of leases. */
  get holders(): readonly string[] {
    return [...this.#holders.values()];
  }

  /** Resolves with the ports when every worker listens. @throws what kept the first one from it, or the reason of `signal` */
  async start(count: number, signal: AbortSignal): Promise<IngestPorts> {
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const starting = Promise.all(Array.from({ length: count }, () => this.#fork()));
    const listening = await Promise.race([starting, aborted]);
    this.#started = true;
    const [first] = listening;
    if (first === undefined) throw new Error('no worker was asked for');
    return first;
  }

  #fork(): Promise<IngestPorts> {
    const worker = cluster.fork();
    worker.once('exit', (code, signal) => {
      this.#holders.delete(worker);
      // One that ends before all listen fails the start.
      if (this.#stopping || !this.#started) return;
      this.ends++;
      this.#log.error({ worker: worker.process.pid, code, signal }, 'an ingest process ended; another one is started');
      setTimeout(() => this.#restart(), RESTART_MS).unref();
    });
    return new Promise((resolve, reject) => {
      worker.on('message', (message: object) => {
        if ('failed' in message) {
          const { message: text, ...facts } = (message as Failed).failed;
          reject(Object.assign(new Error(text), facts));
        }
        if (!('listening' in message)) return;
        const { listening, holder } = message as Listening;
        this.#holders.set(worker, holder);
        resolve(listening);
      });
      worker.once('exit', (code) => reject(new Error(`an ingest process ended with ${code} before it listened`)));
    });
  }

  #restart(): void {
    if (this.#stopping) return;
    this.#fork().catch((error: unknown) => this.#log.error({ error }, 'an ingest process did not start'));
  }

  /** Each lets its publishers go and ends. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const running = Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker !== undefined);
    await Promise.all(
      running.map(async (worker) => {
        if (worker.isDead()) return;
        const exited = once(worker, 'exit');
        worker.process.kill('SIGTERM');
        const timer = setTimeout(() => worker.process.kill('SIGKILL'), STOP_MS);
        await exited;
        clearTimeout(timer);
      }),
    );
  }
}

/** Messages of one subject between the first process and the others. */
export interface WorkerChannel<To extends object, From extends object> {
  /** Processes that can be reached now. */
  ids(): number[];
  send(id: number, message: To): void;
  sendAll(message: To): void;
  onMessage(listener: (id: number, message: From) => void): void;
  onGone(listener: (id: number) => void): void;
}

interface Envelope<Message> {
  readonly subject: string;
  readonly body: Message;
}

function isOf<Message>(message: object, subject: string): message is Envelope<Message> {
  return 'subject' in message && message.subject === subject;
}

/** The first process's side. */
export function workerChannel<To extends object, From extends object>(subject: string): WorkerChannel<To, From> {
  const connected = (): Worker[] =>
    Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected() === true) as Worker[];
  const envelope = (body: To): Envelope<To> => ({ subject, body });
  return {
    ids: () => connected().map(({ id }) => id),
    send: (id, message) => {
      const worker = cluster.workers?.[id];
      if (worker?.isConnected()) worker.send(envelope(message));
    },
    sendAll: (message) => {
      for (const worker of connected()) worker.send(envelope(message));
    },
    onMessage: (listener) => {
      cluster.on('message', (worker, message: object) => {
        if (isOf<From>(message, subject)) listener(worker.id, message.body);
      });
    },
    onGone: (listener) => cluster.on('exit', (worker) => listener(worker.id)),
  };
}

/** Another process's side of the same subject. Returns the function that sends to the first process. */
export function channelToFirst<To extends object, From extends object>(
  subject: string,
  onMessage: (message: To) => void,
): (message: From) => void {
  process.on('message', (message: object) => {
    if (isOf<To>(message, subject)) onMessage(message.body);
  });
  return (body) => {
    if (process.connected) process.send?.({ subject, body } satisfies Envelope<From>);
  };
}

/** Nothing is left to say to the first process; without this its channel would keep the process alive. */
export function leaveWorkers(): void {
  cluster.worker?.disconnect();
}

/** The first process says why; the end of this one is then no surprise to it. */
export async function leaveFailed(error: unknown): Promise<never> {
  const { message = String(error), code, port, address } = Object(error) as Partial<Failed['failed']>;
  const failed = JSON.parse(JSON.stringify({ message, code, port, address })) as Failed['failed'];
  await new Promise<void>((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send({ failed } satisfies Failed, () => resolve());
  });
  process.exit(START_FAILED);
}

/** From a worker to the first process. */
export function tellListening(ports: IngestPorts, holder: string): void {
  const message: Listening = { listening: ports, holder };
  process.send?.(message);
}

/**
 * Several ingest processes behind one port (`AIRLOCK_WORKERS`). The first process keeps the HTTP interface and starts the
 * others; they share broadcasts through Redis, as several machines do, and nothing else.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Log } from './ports.js';

export const isWorker = (): boolean => cluster.isWorker;

export interface IngestPorts {
  readonly rtmpsPort: number;
  readonly rtmpPort: number | undefined;
}

interface Listening {
  readonly listening: IngestPorts;
}

/** A worker that dies is replaced, at most one in this time each, so that a fault at start does not spin. */
const RESTART_MS = 1_000;
const STOP_MS = 15_000;

export class Workers {
  readonly #log: Log;
  #stopping = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Resolves with the ports when every worker listens. */
  async start(count: number): Promise<IngestPorts> {
    const listening = await Promise.all(Array.from({ length: count }, () => this.#fork()));
    const [first] = listening;
    if (first === undefined) throw new Error('no worker was asked for');
    return first;
  }

  #fork(): Promise<IngestPorts> {
    const worker = cluster.fork();
    worker.once('exit', (code, signal) => {
      if (this.#stopping) return;
      this.#log.error({ worker: worker.process.pid, code, signal }, 'an ingest process ended; another one is started');
      setTimeout(() => this.#restart(), RESTART_MS).unref();
    });
    return new Promise((resolve, reject) => {
      worker.on('message', (message: Listening) => resolve(message.listening));
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
        const exited = once(worker, 'exit');
        worker.process.kill('SIGTERM');
        const timer = setTimeout(() => worker.process.kill('SIGKILL'), STOP_MS);
        await exited;
        clearTimeout(timer);
      }),
    );
  }
}

/** Nothing is left to say to the first process; without this its channel would keep the process alive. */
export function leaveWorkers(): void {
  cluster.worker?.disconnect();
}

/** From a worker to the first process. */
export function tellListening(ports: IngestPorts): void {
  const message: Listening = { listening: ports };
  process.send?.(message);
}

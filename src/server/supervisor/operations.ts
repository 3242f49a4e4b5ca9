/** Orders of an operator to a running server: to go out of service, or to run the code that is on the disk now. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../ports/index.js';
import type { DrainReason, Role, ServerState } from './messages.js';
import type { RoleProcess } from './role-process.js';
import type { Slot } from './slot.js';

/** A replaced process closes its services within this time. */
const RETIRE_MS = 11_000;
/** The store has only its last transaction to write. */
const RETIRE_STORE_MS = 2_000;
/** After the time to leave, for the last closing status and the end of each recording. */
const AFTER_DRAIN_MS = 3_000;
/**
 * First the role whose failure to start harms no stream; the store last, because it is stopped before its successor begins.
 */
const ORDER: readonly Role[] = ['media', 'web', 'forward', 'ingest', 'store'];

export interface OperationsOptions {
  readonly slots: readonly Slot[];
  /** Seconds that publishers have to leave. */
  readonly drainS: number;
  readonly log: Log;
  readonly closeStreamPorts: () => void;
}

export class Operations {
  readonly #options: OperationsOptions;
  #drain: ServerState['drain'] = 'no';
  #reload: ServerState['reload'] = { state: 'no', replaced: [] };
  #isStopping = false;

  constructor(options: OperationsOptions) {
    this.#options = options;
  }

  get state(): ServerState {
    return { drain: this.#drain, drainS: this.#options.drainS, reload: this.#reload };
  }

  /** The server stops: nothing more is begun. */
  stop(): void {
    this.#isStopping = true;
  }

  /**
   * Takes no more streams: closes their ports, so that a balancer chooses another server, and lets the running ones leave.
   * Everything else goes on until the server is stopped.
   */
  drain(): void {
    if (this.#drain !== 'no' || this.#isStopping) return;
    this.#drain = 'running';
    const { log, closeStreamPorts } = this.#options;
    log.info({}, 'draining: the ports of streams are closed');
    closeStreamPorts();
    const processes = this.#slotsOf('ingest').flatMap(({ ready, retiring }) => [ready ?? [], retiring ?? []].flat());
    const drained = processes.map((process) => this.#drained(process, 'out-of-service'));
    void Promise.all(drained).then(() => {
      this.#drain = 'done';
      log.info({}, 'drained: no publisher is left');
    });
  }

  /** Replaces every process by one of the code on the disk. The ports stay open, and each role always has a process. */
  reload(): void {
    if (this.#reload.state === 'running' || this.#isStopping) return;
    this.#reload = { state: 'running', replaced: [] };
    const { log } = this.#options;
    log.info({}, 'reloading: the processes are replaced');
    this.#replaceAll().then(
      () => {
        this.#reload = { ...this.#reload, state: 'done' };
        log.info({}, 'reloaded: all processes were replaced');
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.#reload = { ...this.#reload, state: 'failed', reason };
        if (!this.#isStopping) log.error({ error }, 'reloading failed: the other processes stay');
      },
    );
  }

  async #replaceAll(): Promise<void> {
    for (const role of ORDER) {
      const slots = this.#slotsOf(role).filter((slot) => !slot.isIdle);
      if (slots.length === 0) continue;
      if (this.#isStopping) throw new Error('the server stops');
      await Promise.all(slots.map((slot) => this.#replace(slot)));
      this.#reload = { ...this.#reload, replaced: [...this.#reload.replaced, role] };
    }
  }

  #replace(slot: Slot): Promise<void> {
    // There can be one only: it holds the writes, or connections to targets that take one publisher.
    if (slot.role === 'store' || slot.role === 'forward') return slot.swap(RETIRE_STORE_MS);
    if (slot.role !== 'ingest') return slot.replace(async () => undefined, RETIRE_MS);
    return slot.replace((old) => this.#drained(old, 'replaced'), RETIRE_MS);
  }

  /** Resolves when the process has no connection any more, or should have none. */
  async #drained(process: RoleProcess, reason: DrainReason): Promise<void> {
    process.send({ type: 'drain', reason });
    const late = new AbortController();
    const deadline = sleep(this.#options.drainS * 1_000 + AFTER_DRAIN_MS, undefined, {
      signal: late.signal,
      ref: false,
    }).catch(() => undefined);
    await Promise.race([process.drained.catch(() => undefined), process.exited, deadline]);
    late.abort();
  }

  #slotsOf(role: Role): Slot[] {
    return this.#options.slots.filter((slot) => slot.role === role);
  }
}

/** The running preflights of this process. */
import type { BroadcastDeps } from '../context/deps.js';
import { Preflight, type PreflightStart } from './preflight.js';

export class Preflights {
  readonly #deps: BroadcastDeps;
  readonly #running = new Set<Preflight>();

  constructor(deps: BroadcastDeps) {
    this.#deps = deps;
  }

  start(start: PreflightStart): Preflight {
    const preflight = new Preflight(this.#deps, start, (left) => this.#running.delete(left));
    this.#running.add(preflight);
    return preflight;
  }

  get size(): number {
    return this.#running.size;
  }

  tick(wallMs: number, atMs: number): void {
    for (const preflight of this.#running) preflight.tick(wallMs, atMs);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#running].map((preflight) => preflight.leave()));
  }
}

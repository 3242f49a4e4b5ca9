/** The preflights that run in this process. */
import type { Lease } from '../ports/index.js';
import type { IngestDeps } from './deps.js';
import { Preflight } from './preflight.js';
import type { EncoderChannel } from './publication-types.js';
import type { LiveVideo } from './state-writer.js';

export interface PreflightStart {
  readonly live: LiveVideo;
  /** Makes it the only preflight of its stream key. */
  readonly lease: Lease;
  readonly channel: EncoderChannel;
  readonly facts: { readonly flashVer: string; readonly secure: boolean };
}

export class Preflights {
  readonly #deps: IngestDeps;
  readonly #running = new Set<Preflight>();

  constructor(deps: IngestDeps) {
    this.#deps = deps;
  }

  start(start: PreflightStart): Preflight {
    const preflight = new Preflight(this.#deps, start, (left) => this.#running.delete(left));
    this.#running.add(preflight);
    return preflight;
  }

  tick(wallMs: number, atMs: number): void {
    for (const preflight of this.#running) preflight.tick(wallMs, atMs);
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#running].map((preflight) => preflight.leave()));
  }
}

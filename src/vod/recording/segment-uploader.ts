/**
 * Carries closed segments to the object storage, a few at a time, and looks again and again for those that could not be
 * carried, or were left behind by a process of this machine that was killed. Without object storage it has nothing to do.
 */
import type { Blobs, Log } from '../../ports/index.js';
import { RECORDER } from './limits.js';
import type { Recorder } from './recorder.js';
import type { Segments } from './segments.js';

export interface CarrierOptions {
  readonly segments: Segments;
  readonly blobs: Blobs;
  /** Knows what is still being written here. */
  readonly recorder: () => Pick<Recorder, 'recorded' | 'isWriting'>;
  readonly log: Log;
}

export class Carrier {
  readonly #options: CarrierOptions;
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #known = new Set<string>();
  #running = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #idle: (() => void)[] = [];
  #closed = false;

  constructor(options: CarrierOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.blobs.kind === 'folder') return;
    this.#timer = setInterval(() => this.#look(), RECORDER.carryAgainMs);
    this.#timer.unref();
    this.#look();
  }

  /** A segment was closed here. */
  carry(liveVideoId: string, name: string): void {
    const key = `${liveVideoId}/${name}`;
    if (this.#options.blobs.kind === 'folder' || this.#known.has(key)) return;
    this.#known.add(key);
    this.#waiting.push(async () => {
      try {
        await this.#options.segments.carry(liveVideoId, name);
      } catch (error) {
        this.#options.log.warn(
          { liveVideoId, name, error },
          'a segment could not be carried to the object storage now',
        );
      } finally {
        this.#known.delete(key);
      }
    });
    this.#next();
  }

  /** Gives the last segments some time; what is left then stays on the disk, for the next start. */
  async close(withinMs: number = RECORDER.carryCloseMs): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#looking;
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#idle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #next(): void {
    while (this.#running < RECORDER.parallelCarries) {
      const task = this.#waiting.shift();
      if (task === undefined) break;
      this.#running++;
      void task().finally(() => {
        this.#running--;
        this.#next();
      });
    }
    if (this.#running > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }

  #look(): void {
    this.#looking = this.#looking
      .then(() => this.#carryLeft())
      .catch((error: unknown) => {
        this.#options.log.warn({ error }, 'segments that were left on this disk could not be looked for');
      });
  }

  async #carryLeft(): Promise<void> {
    const { segments, recorder } = this.#options;
    for (const liveVideoId of recorder().recorded()) {
      for (const name of await segments.quiet(liveVideoId)) {
        if (this.#closed) return;
        if (!recorder().isWriting(liveVideoId, name)) this.carry(liveVideoId, name);
      }
    }
  }
}

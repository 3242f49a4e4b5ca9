/**
 * Stills of the broadcasts that the page shows, asked for by turns: one request at a time, the one that has waited longest
 * first, each at most every five seconds, and none while the page is hidden.
 */
import { Value } from '../../shared/value.js';
import type { Api } from './api.js';
import { ApiError } from './api.js';

const EVERY_MS = 5_000;
/** Until there is a first one, for as many attempts: then there is hardly one. */
const FIRST_MS = 800;
const FIRST_TRIES = 8;
/** Between two requests, so that a long list takes a small share of what the server can decode. */
const PAUSE_MS = 400;
/** After a fault, such as a server that restarts. */
const RETRY_MS = 5_000;

/** In place of a URL: the stream has no picture now. */
export const NO_STILL = '';

interface Shown {
  readonly url: Value<string | undefined>;
  shown: number;
  askedMs: number;
  tries: number;
}

export class StillReader {
  readonly #api: Pick<Api, 'file'>;
  readonly #shown = new Map<string, Shown>();
  #timer: number | undefined;
  #asking = false;

  constructor(api: Pick<Api, 'file'>) {
    this.#api = api;
  }

  /** The URL of the latest still, or `NO_STILL`; undefined before the first answers. */
  of(id: string): Value<string | undefined> {
    return this.#entry(id).url;
  }

  /** Until the returned function is called, the still is kept up to date. */
  show(id: string): () => void {
    const entry = this.#entry(id);
    entry.shown++;
    entry.tries = 0;
    this.#askAfter(0);
    return () => {
      entry.shown--;
    };
  }

  close(): void {
    window.clearTimeout(this.#timer);
    for (const { url } of this.#shown.values()) release(url.get());
    this.#shown.clear();
  }

  #entry(id: string): Shown {
    const held = this.#shown.get(id);
    if (held !== undefined) return held;
    const made = {
      url: new Value<string | undefined>(undefined),
      shown: 0,
      askedMs: Number.NEGATIVE_INFINITY,
      tries: 0,
    };
    this.#shown.set(id, made);
    return made;
  }

  #askAfter(ms: number): void {
    if (this.#asking) return;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#askNext(), ms);
  }

  async #askNext(): Promise<void> {
    const next = [...this.#shown].filter(([, { shown }]) => shown > 0).sort(([, a], [, b]) => dueMs(a) - dueMs(b))[0];
    if (next === undefined) return;
    const [id, entry] = next;
    const waitMs = dueMs(entry) - performance.now();
    if (waitMs > 0 || document.visibilityState === 'hidden') return this.#askAfter(Math.max(waitMs, PAUSE_MS));
    this.#asking = true;
    entry.askedMs = performance.now();
    entry.tries++;
    const isAnswered = await this.#ask(id, entry);
    this.#asking = false;
    this.#askAfter(isAnswered ? PAUSE_MS : RETRY_MS);
  }

  async #ask(id: string, { url, tries }: Shown): Promise<boolean> {
    try {
      const jpeg = await this.#api.file(`/dashboard/data/stills/${id}`, {});
      // Empty: there is none now. The last one stays.
      if (jpeg.size === 0) {
        if (url.get() === undefined && tries >= FIRST_TRIES) url.set(NO_STILL);
        return true;
      }
      release(url.get());
      url.set(URL.createObjectURL(jpeg));
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }
}

function dueMs({ url, askedMs, tries }: Shown): number {
  return askedMs + (url.get() === undefined && tries < FIRST_TRIES ? FIRST_MS : EVERY_MS);
}

function release(url: string | undefined): void {
  if (url !== undefined && url !== NO_STILL) URL.revokeObjectURL(url);
}

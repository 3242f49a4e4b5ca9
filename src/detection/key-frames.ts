/** The last key frames of a running broadcast, each as a file that can be decoded. */
import type { SliceList } from '../bytes/slices.js';
import { isKeyFrame, KeyFrameSample } from '../media/flv/latest-headers.js';
import { KEY_FRAMES } from './limits.js';

export interface KeptKeyFrame {
  /** Media time, as that of the sound. */
  readonly atMs: number;
  readonly flv: Uint8Array;
}

export class KeyFrames {
  readonly #sample = new KeyFrameSample();
  #kept: KeptKeyFrame[] = [];

  /** True for a sequence header, which is kept. */
  observe(payload: SliceList): boolean {
    return this.#sample.observe(payload);
  }

  /** Any picture; copies a key frame that is not too near to the one before. */
  offer(atMs: number, payload: SliceList): void {
    if (!isKeyFrame(payload) || payload.length > KEY_FRAMES.bytes) return;
    const before = this.#kept.at(-1);
    if (before !== undefined && Math.abs(atMs - before.atMs) < KEY_FRAMES.everyMs) return;
    const flv = this.#sample.file(payload);
    if (flv === undefined) return;
    this.#kept.push({ atMs, flv });
    while (this.#kept.length > KEY_FRAMES.kept || this.#bytes > KEY_FRAMES.bytesOfAll) this.#kept.shift();
  }

  get #bytes(): number {
    return this.#kept.reduce((sum, { flv }) => sum + flv.length, 0);
  }

  kept(): readonly KeptKeyFrame[] {
    return [...this.#kept];
  }

  clear(): void {
    this.#kept = [];
  }
}

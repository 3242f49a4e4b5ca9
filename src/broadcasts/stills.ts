/**
 * Stills of running broadcasts, for pages that show them: the next key frame, decoded to a small JPEG. Nothing is kept and
 * nothing is made without a request.
 */
import type { SliceList } from '../bytes/slices.js';
import { isKeyFrame, KeyFrameSample } from '../media/flv/latest-headers.js';
import type { MediaTap, StillDecoding } from '../ports/index.js';

export const STILL_LIMITS = {
  /** Streams whose next key frame is awaited: their packets are kept in full meanwhile. */
  awaited: 4,
  /** Longer than the longest interval between key frames that the rules accept. */
  waitMs: 6_000,
} as const;

export interface StillDeps {
  readonly streams: {
    /** False: the stream is not received here. */
    attach(liveVideoId: string, tap: MediaTap): boolean;
    detach(liveVideoId: string, tap: MediaTap): void;
  };
  readonly decoder: StillDecoding;
}

export class Stills {
  readonly #deps: StillDeps;
  #awaited = 0;

  constructor(deps: StillDeps) {
    this.#deps = deps;
  }

  /** A JPEG; undefined if the stream is not received here, has no key frame soon, or decoding has no time. Never rejects. */
  async take(liveVideoId: string): Promise<Uint8Array | undefined> {
    const { decoder } = this.#deps;
    if (this.#awaited >= STILL_LIMITS.awaited || !decoder.hasRoomForStill) return undefined;
    this.#awaited++;
    const flv = await this.#nextKeyFrame(liveVideoId).finally(() => {
      this.#awaited--;
    });
    if (flv === undefined || !decoder.hasRoomForStill) return undefined;
    return decoder.still(flv).catch(() => undefined);
  }

  #nextKeyFrame(liveVideoId: string): Promise<Uint8Array | undefined> {
    const { streams } = this.#deps;
    return new Promise((resolve) => {
      const end = (flv: Uint8Array | undefined): void => {
        clearTimeout(timer);
        streams.detach(liveVideoId, tap);
        resolve(flv);
      };
      const tap = new KeyFrameTap(end);
      const timer = setTimeout(() => end(undefined), STILL_LIMITS.waitMs);
      if (!streams.attach(liveVideoId, tap)) end(undefined);
    });
  }
}

/** Reports the first key frame after a sequence header, once; undefined if the stream ends before. */
class KeyFrameTap implements MediaTap {
  readonly copies = true;
  readonly #sample = new KeyFrameSample();
  #report: ((flv: Uint8Array | undefined) => void) | undefined;

  constructor(report: (flv: Uint8Array | undefined) => void) {
    this.#report = report;
  }

  get isIdle(): boolean {
    return this.#report === undefined;
  }

  packet(kind: 'audio' | 'video' | 'data', _timestampMs: number, payload: SliceList): void {
    if (kind !== 'video' || this.#sample.observe(payload) || !isKeyFrame(payload)) return;
    const flv = this.#sample.file(payload);
    if (flv !== undefined) this.#end(flv);
  }

  close(): void {
    this.#end(undefined);
  }

  #end(flv: Uint8Array | undefined): void {
    const report = this.#report;
    this.#report = undefined;
    report?.(flv);
  }
}

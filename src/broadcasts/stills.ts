/**
 * Stills of running broadcasts, for pages that show them: the next key frame, decoded to a small JPEG. Nothing is decoded without a
 * request. The first key frame of a stream is kept for a moment: the page that hears of the stream asks after it has passed,
 * and the next one may be seconds away.
 */
import type { SliceList } from '../bytes/slices.js';
import { isKeyFrame, KeyFrameSample } from '../media/flv/latest-headers.js';
import type { MediaTap, StillDecoding, TappedStream, TapSource } from '../ports/index.js';

export const STILL_LIMITS = {
  /** Streams whose next key frame is awaited: their packets are kept in full meanwhile. */
  awaited: 4,
  /** Longer than the longest interval between key frames that the rules accept. */
  waitMs: 6_000,
  /** Streams whose first key frame is kept, and for how long: a page asks within a second. */
  firsts: 16,
  firstMs: 10_000,
  /** A larger first key frame is not kept. */
  firstBytes: 1024 * 1024,
} as const;

export interface StillDeps {
  readonly streams: {
    /** False: the stream is not received here. */
    attach(liveVideoId: string, tap: MediaTap): boolean;
    detach(liveVideoId: string, tap: MediaTap): void;
  };
  readonly decoder: StillDecoding;
  readonly firsts: Pick<FirstKeyFrames, 'take'>;
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
    const flv = this.#deps.firsts.take(liveVideoId) ?? (await this.#awaitKeyFrame(liveVideoId));
    if (flv === undefined || !decoder.hasRoomForStill) return undefined;
    return decoder.still(flv).catch(() => undefined);
  }

  async #awaitKeyFrame(liveVideoId: string): Promise<Uint8Array | undefined> {
    this.#awaited++;
    try {
      return await this.#nextKeyFrame(liveVideoId);
    } finally {
      this.#awaited--;
    }
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

/** The first key frames of streams that began lately, until a page asks. */
export class FirstKeyFrames implements TapSource {
  readonly #kept = new Map<string, Uint8Array>();

  open({ liveVideoId }: Pick<TappedStream, 'liveVideoId'>, when: 'publish' | 'live'): MediaTap | undefined {
    if (when === 'live') return undefined;
    return new KeyFrameTap((flv) => {
      if (flv !== undefined) this.#keep(liveVideoId, flv);
    });
  }

  take(liveVideoId: string): Uint8Array | undefined {
    const flv = this.#kept.get(liveVideoId);
    this.#kept.delete(liveVideoId);
    return flv;
  }

  #keep(liveVideoId: string, flv: Uint8Array): void {
    if (this.#kept.size >= STILL_LIMITS.firsts || flv.length > STILL_LIMITS.firstBytes) return;
    this.#kept.set(liveVideoId, flv);
    setTimeout(() => {
      if (this.#kept.get(liveVideoId) === flv) this.#kept.delete(liveVideoId);
    }, STILL_LIMITS.firstMs).unref();
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

/**
 * The taps of one publication, as far as its stream is on air. Of two input streams, the one that stands by has none but its own;
 * the taps of the other wait for its first key frame on air, and get timestamps that go on.
 */

import type { InputIndex, OnAir } from '../lifecycle/on-air.js';
import { isKeyFrame, isSequenceHeader, type MessageKind } from '../media/flv/latest-headers.js';
import type { MediaMessage } from '../media/media-message.js';
import type { MediaTap, TappedStream } from '../ports/index.js';
import type { ReceivingDeps } from './deps.js';
import { Taps } from './taps.js';

export class ShownTaps {
  readonly #taps: Taps;
  readonly #sources: ReceivingDeps['taps'];
  readonly #stream: TappedStream;
  /** Where there are two input streams: which one is on air. */
  readonly #onAir: OnAir | undefined;
  readonly #index: InputIndex;
  #isShown: boolean;
  /** Taps that wait for the first key frame on air. */
  #waiting: MediaTap[] | undefined;
  /** The publication's own, which it has on air and off. */
  #own: MediaTap | undefined;
  #hasVideo = false;

  constructor(
    { buffers, taps }: Pick<ReceivingDeps, 'buffers' | 'taps'>,
    stream: TappedStream,
    isShown: boolean,
    onAir: OnAir | undefined,
    index: InputIndex,
  ) {
    this.#taps = new Taps(buffers);
    this.#sources = taps;
    this.#stream = stream;
    this.#isShown = isShown;
    this.#onAir = onAir;
    this.#index = index;
  }

  get keepPayload(): boolean {
    return this.#taps.keepPayload;
  }

  /** Asks each tap whether it wants packets from now on. */
  ask(): void {
    this.#taps.ask();
  }

  judged(openErrors: readonly number[]): void {
    this.#taps.judged(openErrors);
  }

  // ---------------------------------------------------------------- packets

  packet(kind: MessageKind, message: MediaMessage): void {
    const timestampMs = this.#onAir === undefined ? message.timestampMs : this.#placed(this.#onAir, kind, message);
    if (timestampMs >= 0) this.#taps.packet(kind, timestampMs, message.payload);
  }

  /** The timestamp on air; that of the encoder while it stands by. -1: the packet is older than the switch. */
  #placed(onAir: OnAir, kind: MessageKind, { timestampMs, atMs, payload }: MediaMessage): number {
    if (!this.#isShown) return timestampMs;
    if (kind !== 'data' && !isSequenceHeader(kind, payload)) return onAir.place(this.#index, timestampMs, atMs);
    return onAir.hasBegun ? onAir.nowMs : timestampMs;
  }

  /**
   * To be called before each packet, where there are two input streams. True: this one was chosen and goes on air with the packet,
   * which is a key frame that arrived whole, or any frame of a stream without video.
   */
  mayBegin(kind: 'audio' | 'video', { atMs, payload }: MediaMessage): boolean {
    if (kind === 'video') this.#hasVideo = true;
    if (this.#onAir === undefined) return false;
    this.#onAir.arrived(this.#index, atMs);
    if (!this.#onAir.mayBegin(this.#index) || payload.hasHoles || isSequenceHeader(kind, payload)) return false;
    return kind === 'video' ? isKeyFrame(payload) : !this.#hasVideo;
  }

  // ---------------------------------------------------------------- taps

  /** For taps that join what is on air with timestamps of its own. */
  get #fromMs(): number | undefined {
    return this.#onAir?.hasBegun ? this.#onAir.nowMs : undefined;
  }

  attachOwn(tap: MediaTap): void {
    this.#own = tap;
    this.#taps.attach(tap);
  }

  open(when: 'publish' | 'live'): void {
    if (this.#waiting === undefined) {
      this.#taps.open(this.#sources, this.#stream, when, this.#fromMs);
      return;
    }
    for (const source of this.#sources) {
      const tap = source.open(this.#stream, when);
      if (tap !== undefined) this.#waiting.push(tap);
    }
  }

  attach(tap: MediaTap): void {
    if (this.#waiting === undefined) this.#taps.attach(tap, this.#fromMs);
    else this.#waiting.push(tap);
  }

  detach(tap: MediaTap): void {
    this.#waiting = this.#waiting?.filter((other) => other !== tap);
    this.#taps.detach(tap);
  }

  close(): void {
    for (const tap of this.#waiting ?? []) tap.close();
    this.#waiting = undefined;
    this.#taps.close();
  }

  /** The taps of what was on air, which get packets from `show` on. */
  hold(taps: readonly MediaTap[]): void {
    this.#waiting = [...taps];
  }

  show(openErrors: readonly number[]): void {
    this.#isShown = true;
    for (const tap of this.#waiting ?? []) this.#taps.attach(tap, this.#fromMs);
    this.#waiting = undefined;
    this.#taps.judged(openErrors);
  }

  /** Gives up all but its own, for the stream that is on air next. */
  release(): readonly MediaTap[] {
    this.#isShown = false;
    const taps = [...this.#taps.release(this.#own), ...(this.#waiting ?? [])];
    this.#waiting = undefined;
    return taps;
  }
}

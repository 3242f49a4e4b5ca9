/** Sends the key frames that the judge wants to a decoder. Between them it is idle, so that no payload is kept. */
import type { SliceList } from '../bytes/slices.js';
import { KeyFrameSample } from '../media/flv/latest-headers.js';
import type { MediaTap, PictureDecoding } from '../ports/index.js';
import type { PictureTurns } from './picture-turns.js';

/** The stream whose pictures are judged. */
export interface PictureSubject {
  /** A method: V8 gives each object literal with a getter a hidden class of its own, and each reader then misses its cache. */
  wantsPicture(): boolean;
  /** The wanted picture is a sample, which may wait for its turn. */
  wantsSample(): boolean;
  /** The number of the last key frame; 0 if it is not wanted. */
  askPicture(): number;
  /** `gray`: absent if the key frame was not decoded. */
  picture(number: number, gray: Uint8Array | undefined): void;
}

export class PictureTap implements MediaTap {
  readonly copies = true;
  readonly #subject: PictureSubject;
  readonly #decoder: PictureDecoding;
  readonly #turns: PictureTurns | undefined;
  readonly #sample = new KeyFrameSample();

  constructor(subject: PictureSubject, decoder: PictureDecoding, turns?: PictureTurns) {
    this.#subject = subject;
    this.#decoder = decoder;
    this.#turns = turns;
  }

  get isIdle(): boolean {
    return !(this.#subject.wantsPicture() && this.#isItsTurn);
  }

  get #isItsTurn(): boolean {
    if (this.#turns === undefined) return true;
    if (this.#subject.wantsSample()) return this.#turns.isNext(this);
    this.#turns.leave(this);
    return true;
  }

  packet(kind: 'audio' | 'video' | 'data', _timestampMs: number, payload: SliceList): void {
    if (kind !== 'video' || this.#sample.observe(payload)) return;
    if (!this.#isItsTurn) return;
    const number = this.#subject.askPicture();
    if (number === 0) return;
    this.#turns?.take(this);
    const flv = this.#decoder.hasRoomForPicture ? this.#sample.file(payload) : undefined;
    if (flv === undefined) this.#subject.picture(number, undefined);
    else void this.#decode(number, flv);
  }

  /** A key frame that cannot be decoded shows nothing: the judge asks for a later one. */
  async #decode(number: number, flv: Uint8Array): Promise<void> {
    const gray = await this.#decoder.picture(flv).catch(() => undefined);
    this.#subject.picture(number, gray);
  }

  close(): void {
    // The decoder answers to a stream that may be over; the publication ignores it.
    this.#turns?.leave(this);
  }
}

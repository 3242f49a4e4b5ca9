/**
 * A video message that is recorded while it arrives: each part is copied from the read buffer that all connections share to
 * the end of the segment's queue, where it counts as soon as the message is complete. A message that is never completed leaves
 * nothing. Tags keep the order in which messages are complete: if another one is first, the parts are moved aside.
 */
import type { PartialFrame } from '../bytes/partial-frame.js';
import { SliceList } from '../bytes/slices.js';
import type { SegmentFile } from './segment-file.js';

export class FrameInParts {
  /** Its list, while there is one; identifies the message together with `taken`, since lists are used again. */
  #payload: SliceList | undefined;
  #taken = 0;
  #segment: SegmentFile | undefined;
  /** The parts that were moved aside: `#taken` bytes. */
  #aside: Uint8Array | undefined;

  get isBegun(): boolean {
    return this.#payload !== undefined;
  }

  /** False once the message was dropped, whose list is then empty or of another message. */
  isOf(payload: SliceList): boolean {
    return this.#payload === payload && payload.taken === this.#taken;
  }

  /** False: the segment does not accept it. */
  begin(segment: SegmentFile, payload: SliceList, { messageBytes, timestampMs }: PartialFrame): boolean {
    if (!segment.beginTag('video', timestampMs, messageBytes)) return false;
    this.#payload = payload;
    this.#taken = 0;
    this.#segment = segment;
    this.add(payload);
    return true;
  }

  add(payload: SliceList): void {
    const from = this.#taken;
    if (this.#aside === undefined) this.#segment?.addToTag(payload, from);
    else this.#aside = withRest(this.#aside, payload, from);
    this.#taken = payload.length;
    payload.taken = payload.length;
  }

  /** The message is complete; `segment` is the current one. */
  finish(segment: SegmentFile, timestampMs: number, payload: SliceList): void {
    this.add(payload);
    if (this.#aside === undefined) segment.endTag();
    else segment.append('video', timestampMs, SliceList.of(this.#aside.subarray(0, this.#taken)), 0);
    this.#forget();
  }

  /** Another message is complete, or begins. */
  makeWay(): void {
    const payload = this.#payload;
    if (payload === undefined) return;
    if (payload.taken !== this.#taken) this.discard();
    else this.#aside ??= this.#segment?.takeTagBack();
  }

  discard(): void {
    if (this.#aside === undefined) this.#segment?.takeTagBack();
    this.#forget();
  }

  #forget(): void {
    this.#payload = undefined;
    this.#segment = undefined;
    this.#aside = undefined;
    this.#taken = 0;
  }
}

/** `bytes[0, from)` and `payload` from there on, in the same buffer if there is room. */
function withRest(bytes: Uint8Array, payload: SliceList, from: number): Uint8Array {
  let target = bytes;
  if (payload.length > target.length) {
    target = new Uint8Array(2 * payload.length);
    target.set(bytes.subarray(0, from));
  }
  payload.copyInto(target, from, from, payload.length);
  return target;
}

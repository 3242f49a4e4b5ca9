/**
 * Backlog that an encoder sends after its publish was held: GStreamer and others leave out, repeat or send at once what they
 * captured during the wait. It is recorded, but not judged, except for the first valid data of a broadcast that waits for it:
 * the judge begins at a key frame behind it, as on a new connection.
 */
import type { StreamJudge } from '../judge/judge.js';
import { isKeyFrame, LatestHeaders } from '../media/flv/latest-headers.js';
import { mayHaveTracks } from '../media/flv/track-messages.js';
import type { MediaMessage } from '../media/media-message.js';
import { BROADCAST_LIMITS } from './limits.js';

/** A place in the stream, without a payload. */
export type MessagePosition = Omit<MediaMessage, 'payload'>;

export class HeldBacklog {
  readonly #headers = new LatestHeaders();
  #metadata: unknown;
  readonly #endsAtMs: number;
  /** Position of the newest message, filled anew by each: number 0 before the first. */
  readonly #newest = { timestampMs: 0, messageNumber: 0, byteOffset: 0 };

  /** `endsAtMs`: the time of the wait has passed once more. */
  constructor(endsAtMs: number) {
    this.#endsAtMs = endsAtMs;
  }

  /** False: the backlog is over, and the judge needs what `replay` tells it before the message. */
  holds(kind: 'audio' | 'video', message: MediaMessage): boolean {
    const { payload, atMs, timestampMs } = message;
    this.#newest.timestampMs = timestampMs;
    this.#newest.messageNumber = message.messageNumber;
    this.#newest.byteOffset = message.byteOffset;
    // Headers of several tracks are not kept.
    if ((payload.length > 0 && mayHaveTracks(kind, payload)) || !this.isOpen(atMs)) return false;
    const isHeader = payload.length > 1 && this.#headers.observe(kind, timestampMs, payload);
    return isHeader || atMs < this.#endsAtMs || kind === 'audio' || !isKeyFrame(payload);
  }

  /** The encoder may still be sending it: until the first key frame after the time of the wait, if one comes. */
  isOpen(atMs: number): boolean {
    return atMs < this.#endsAtMs + BROADCAST_LIMITS.heldBacklogKeyFrameMs;
  }

  /** Where the stream is at this time; undefined if the encoder has sent nothing: it is judged from its connection on. */
  newestAt(atMs: number): MessagePosition | undefined {
    return this.#newest.messageNumber > 0 ? { ...this.#newest, atMs } : undefined;
  }

  metadata(value: unknown): void {
    this.#metadata = value;
  }

  /** Gives the judge, which was connected anew, the metadata and headers of the backlog. */
  replay(judge: StreamJudge, at: MessagePosition): void {
    const { timestampMs, messageNumber, byteOffset, atMs } = at;
    if (this.#metadata !== undefined) judge.metadata(this.#metadata, atMs);
    this.#headers.replay((kind, _sentMs, payload) => {
      const header = { timestampMs, messageNumber, byteOffset, atMs, payload };
      if (kind === 'video') judge.video(header);
      else if (kind === 'audio') judge.audio(header);
    });
  }
}

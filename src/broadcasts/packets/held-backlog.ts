/**
 * What an encoder sends first after its publish was held: GStreamer and others leave out, repeat or send at once what they
 * captured during the wait. It is recorded, but not judged, except for the first valid data of a broadcast that waits for it:
 * the judge begins at a key frame behind it, as on a new connection.
 */
import type { StreamJudge } from '../../judge/judge.js';
import { isKeyFrame } from '../../media/flv/key-frame-sample.js';
import { LatestHeaders } from '../../media/flv/latest-headers.js';
import { mayHaveTracks } from '../../media/flv/track-messages.js';
import type { MediaMessage } from '../../media/media-message.js';
import { BROADCAST_LIMITS } from '../context/limits.js';

export class HeldBacklog {
  readonly #judge: StreamJudge;
  readonly #connect: (atMs: number) => void;
  readonly #headers = new LatestHeaders();
  #metadata: unknown;
  readonly #endsAtMs: number;
  /** Position of the newest message, filled anew by each: number 0 before the first. */
  readonly #newest = { timestampMs: 0, messageNumber: 0, byteOffset: 0 };

  /** `connect`: connects the judge anew. */
  constructor(judge: StreamJudge, connect: (atMs: number) => void, endsAtMs: number) {
    this.#judge = judge;
    this.#connect = connect;
    this.#endsAtMs = endsAtMs;
  }

  /** False: the backlog is over, and the judge has the headers that the message needs. */
  holds(kind: 'audio' | 'video', message: MediaMessage): boolean {
    const { payload, atMs, timestampMs } = message;
    this.#newest.timestampMs = timestampMs;
    this.#newest.messageNumber = message.messageNumber;
    this.#newest.byteOffset = message.byteOffset;
    // Headers of several tracks are not kept.
    const hasTracks = payload.length > 0 && mayHaveTracks(kind, payload);
    if (!hasTracks && this.isOpen(atMs)) {
      const isHeader = payload.length > 1 && this.#headers.observe(kind, timestampMs, payload);
      if (isHeader || atMs < this.#endsAtMs || kind === 'audio' || !isKeyFrame(payload)) return true;
    }
    this.#end(message);
    return false;
  }

  /** The encoder may still be sending it: until the first key frame after the time of the wait, if one comes. */
  isOpen(atMs: number): boolean {
    return atMs < this.#endsAtMs + BROADCAST_LIMITS.heldBacklogKeyFrameMs;
  }

  /** Its time is over, and no key frame came. An encoder that has sent nothing is judged from its connection on. */
  expire(atMs: number): void {
    if (this.#newest.messageNumber > 0) this.#end({ ...this.#newest, atMs });
  }

  metadata(value: unknown): void {
    this.#metadata = value;
  }

  #end(message: Omit<MediaMessage, 'payload'>): void {
    const { atMs, timestampMs } = message;
    this.#connect(atMs);
    if (this.#metadata !== undefined) this.#judge.metadata(this.#metadata, atMs);
    this.#headers.replay((kind, _sentMs, payload) => {
      const header = { ...message, timestampMs, payload };
      if (kind === 'video') this.#judge.video(header);
      else if (kind === 'audio') this.#judge.audio(header);
    });
  }
}

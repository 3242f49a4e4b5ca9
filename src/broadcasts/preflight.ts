/**
 * `?preflight=1`: judges 20 seconds of stream by the same rules and answers with a verdict; nothing goes live and nothing
 * is recorded. A wall-clock limit ends it too, so that a trickling stream holds its slot no longer than a good one.
 */

import type { PartialFrame } from '../bytes/partial-frame.js';
import type { SliceList } from '../bytes/slices.js';
import { StreamJudge } from '../judge/judge.js';
import type { MediaMessage } from '../media/media-message.js';
import { type Lease, VOLATILE } from '../ports/index.js';
import type { BroadcastDeps } from './deps.js';
import { BROADCAST_LIMITS } from './limits.js';
import { describePreflight, preflightVerdict } from './publisher/close-reasons.js';
import type { ClientFacts, EncoderChannel, PacketTarget } from './publisher/publisher.js';
import type { LiveVideo } from './state-writer.js';

export interface PreflightStart {
  readonly live: LiveVideo;
  /** Excludes other preflights of the same stream key. */
  readonly lease: Lease;
  readonly channel: EncoderChannel;
  readonly client: ClientFacts;
}

const VERDICT_TTL_MS = 24 * 3_600_000;

export class Preflight implements PacketTarget {
  readonly liveVideoId: string;
  readonly #deps: BroadcastDeps;
  readonly #channel: EncoderChannel;
  readonly #judge: StreamJudge;
  readonly #lease: Lease;
  readonly #ownerId: string;
  readonly #endMs: number;
  #hasMedia = false;
  #done = false;

  constructor(deps: BroadcastDeps, { live, lease, channel, client }: PreflightStart) {
    const liveVideoId = live.id;
    this.liveVideoId = liveVideoId;
    this.#ownerId = live.data.ownerId;
    this.#deps = deps;
    this.#channel = channel;
    this.#lease = lease;
    const { clock } = deps;
    this.#endMs = clock.monotonicMs() + BROADCAST_LIMITS.preflightWallMs;
    this.#judge = new StreamJudge({
      broadcastId: liveVideoId,
      fence: 0,
      mode: 'live',
      secure: client.secure,
      startWallMs: clock.wallMs(),
      analysis: deps.settings.analysis,
      loudnessTarget: deps.settings.loudnessTarget,
    });
    this.#judge.connect({ wallMs: clock.wallMs(), atMs: clock.monotonicMs(), clientName: client.clientName });
  }

  get keepsPayload(): boolean {
    return false;
  }

  retainHeaders(payload: SliceList, partial: PartialFrame): boolean {
    return this.#judge.retainHeaders(payload, partial);
  }

  video(message: MediaMessage): void {
    if (this.#done) return;
    this.#judge.video(message);
    this.#after(message.atMs);
  }

  audio(message: MediaMessage): void {
    if (this.#done) return;
    this.#judge.audio(message);
    this.#after(message.atMs);
  }

  metadata(value: unknown, { atMs }: MediaMessage): void {
    if (!this.#done) this.#judge.metadata(value, atMs);
  }

  data(name: string, values: readonly unknown[], { timestampMs, atMs }: MediaMessage): void {
    if (!this.#done) this.#judge.data(name, values, timestampMs, atMs);
  }

  #after(atMs: number): void {
    this.#hasMedia = true;
    this.#judgeUntil(this.#deps.clock.wallMs(), atMs);
    if (this.#judge.streamTimeMs >= BROADCAST_LIMITS.preflightMs) this.#answer();
  }

  #judgeUntil(wallMs: number, atMs: number): void {
    this.#judge.tick({ wallMs, atMs });
    if (this.#judge.changed) this.#judge.takeChanges();
  }

  tick(wallMs: number, atMs: number): void {
    if (this.#done) return;
    this.#judgeUntil(wallMs, atMs);
    if (atMs >= this.#endMs) this.#answer();
  }

  /** The encoder unpublished or disconnected: answers with what was judged. Resolves when the slot and lease are free. */
  async leave(): Promise<void> {
    if (!this.#done && this.#hasMedia) this.#answer();
    this.#done = true;
    await this.#deps.quota.releaseSlot(this.#ownerId, this.#lease);
  }

  #answer(): void {
    this.#done = true;
    const { liveVideoId } = this;
    const verdict = preflightVerdict(this.#judge.verdict(), {
      atMs: this.#deps.clock.wallMs(),
      streamTimeMs: Math.round(this.#judge.streamTimeMs),
    });
    const description = describePreflight(verdict);
    const closeWithVerdict = () =>
      this.#channel.closeWith({ kind: 'preflight-done', liveVideoId, verdict, description, cause: 'preflight done' });
    this.#deps.store.volatile
      .set(VOLATILE.preflight(liveVideoId), verdict, VERDICT_TTL_MS)
      .then(closeWithVerdict, (error: unknown) => {
        this.#deps.log.warn({ error, liveVideoId }, 'storing the verdict of a preflight failed');
        closeWithVerdict();
      });
  }
}

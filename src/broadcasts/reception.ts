/** The packets of one encoder on their way to the judge, a backlog that is not judged, and how the connection delivers. */
import type { PartialFrame } from '../bytes/partial-frame.js';
import type { SliceList } from '../bytes/slices.js';
import type { Now, StreamJudge } from '../judge/judge.js';
import type { EndReason } from '../lifecycle/documents.js';
import type { EncoderSetup } from '../lifecycle/encoder-setup.js';
import type { MediaMessage } from '../media/media-message.js';
import type { Clock } from '../ports/index.js';
import { HeldBacklog, type MessagePosition } from './held-backlog.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { AdmittedClient, SocketFacts } from './publisher/publisher.js';

export class Reception {
  readonly #judge: StreamJudge;
  readonly #client: AdmittedClient;
  readonly #clock: Clock;
  /** Settings of another answer than before: the change is the server's own. */
  readonly #announced: EncoderSetup | undefined;
  #backlog: HeldBacklog | undefined;
  #lastAtMs: number;
  #isInterrupted = false;
  /** How late the clock has been since the last tick of the judge, and when it was late last. */
  #lateMs = 0;
  #lateAtMs = Number.NEGATIVE_INFINITY;
  #socket: SocketFacts | undefined;

  /** `configId`: of the settings that the broadcast was set up by. */
  constructor(judge: StreamJudge, client: AdmittedClient, configId: string | undefined, clock: Clock) {
    const { setup, heldMs } = client;
    this.#judge = judge;
    this.#client = client;
    this.#clock = clock;
    this.#announced = setup?.configId === configId ? undefined : setup;
    this.#lastAtMs = clock.monotonicMs();
    this.#connectJudge(this.#lastAtMs, false);
    if (heldMs >= BROADCAST_LIMITS.heldBacklogMs) this.#backlog = new HeldBacklog(this.#lastAtMs + heldMs);
  }

  #connectJudge(atMs: number, midStream: boolean): void {
    const { clientName, setup } = this.#client;
    const announced = this.#announced;
    this.#judge.connect({ wallMs: this.#clock.wallMs(), atMs, clientName, setup, announced, midStream });
  }

  // ---------------------------------------------------------------- packets

  /** `needsData`: a broadcast that waits for valid data goes LIVE with the first of it, also of a backlog. */
  packet(kind: 'audio' | 'video', message: MediaMessage, needsData: boolean): void {
    if (this.#backlog !== undefined && this.#isHeldBack(kind, message, needsData)) return;
    if (kind === 'video') this.#judge.video(message);
    else this.#judge.audio(message);
  }

  metadata(value: unknown, atMs: number): void {
    this.#backlog?.metadata(value);
    this.#judge.metadata(value, atMs);
  }

  data(name: string, values: readonly unknown[], { timestampMs, atMs }: MediaMessage): void {
    if (this.#backlog === undefined) this.#judge.data(name, values, timestampMs, atMs);
  }

  retainHeaders(payload: SliceList, partial: PartialFrame): boolean {
    return this.#backlog === undefined && this.#judge.retainHeaders(payload, partial);
  }

  /** True: not to be judged. */
  #isHeldBack(kind: 'audio' | 'video', message: MediaMessage, needsData: boolean): boolean {
    if (this.#backlog?.holds(kind, message) === true) return !needsData;
    this.#endBacklog(message);
    return false;
  }

  /** The judge begins anew at `at`. */
  #endBacklog(at: MessagePosition): void {
    const backlog = this.#backlog;
    this.#backlog = undefined;
    this.#connectJudge(at.atMs, true);
    backlog?.replay(this.#judge, at);
  }

  // ---------------------------------------------------------------- delivery

  /** After each packet. */
  arrived(atMs: number): void {
    if (atMs - this.#lastAtMs > BROADCAST_LIMITS.pauseMs) this.#isInterrupted = true;
    this.#lastAtMs = atMs;
  }

  /** The tick after a stall is skipped while the lease is verified; its delay counts with the next one. */
  isLate(lateMs: number): void {
    if (lateMs > this.#lateMs) this.#lateMs = lateMs;
    if (lateMs > BROADCAST_LIMITS.pauseMs) this.#lateAtMs = this.#clock.monotonicMs();
  }

  /** Advances the judge, unless a backlog is not judged. It ends at its time, if no key frame came. */
  tick(wallMs: number, atMs: number): void {
    if (this.#backlog?.isOpen(atMs) === false) {
      const newest = this.#backlog.newestAt(atMs);
      if (newest === undefined) this.#backlog = undefined;
      else this.#endBacklog(newest);
    }
    if (this.#backlog === undefined) this.#judge.tick({ wallMs, atMs, own: { lateMs: this.#lateMs, ...this.#socket } });
    this.#lateMs = 0;
    this.#socket = undefined;
  }

  takeSocket(socket: SocketFacts): void {
    this.#socket = socket;
  }

  takeInterruptions(): boolean {
    const atMs = this.#clock.monotonicMs();
    const isInterrupted = this.#isInterrupted || atMs - this.#lastAtMs > BROADCAST_LIMITS.pauseMs;
    this.#isInterrupted = false;
    // A server that is late itself pauses every stream, and has no time to ask for the segments of each.
    return isInterrupted && atMs - this.#lateAtMs > BROADCAST_LIMITS.lateMs;
  }

  /** Since the last packet. */
  get silentMs(): number {
    return Math.max(0, this.#clock.monotonicMs() - this.#lastAtMs);
  }

  /** Equal to the stored end: an owner's end of a silent stream is where it fell silent, a stop is when it was made. */
  endsAt(reason: EndReason | undefined): Now {
    return reason === undefined && this.silentMs >= BROADCAST_LIMITS.takeOverSilenceMs ? this.lastPacket : this.now;
  }

  get now(): Now {
    return { atMs: this.#clock.monotonicMs(), wallMs: this.#clock.wallMs() };
  }

  /** When the last packet arrived. */
  get lastPacket(): Now {
    const { atMs, wallMs } = this.now;
    return { atMs: this.#lastAtMs, wallMs: Math.round(wallMs - Math.max(0, atMs - this.#lastAtMs)) };
  }
}

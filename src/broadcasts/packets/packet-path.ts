/**
 * The input of one publish session: packets go to the judge, then to the taps; ticks of the clock go to the judge. A packet
 * creates no promise and no object.
 */

import type { PartialFrame } from '../../bytes/partial-frame.js';
import type { SliceList } from '../../bytes/slices.js';
import type { StreamJudge } from '../../judge/judge.js';
import { isPlainFrame } from '../../media/flv/sequence-header.js';
import type { MediaMessage } from '../../media/media-message.js';
import type { MediaTap, TappedStream } from '../../ports/index.js';
import type { BroadcastDeps } from '../context/deps.js';
import { BROADCAST_LIMITS } from '../context/limits.js';
import type { PacketTarget, SocketFacts } from '../publisher/publisher.js';
import type { HeldBacklog } from './held-backlog.js';
import { Taps } from './taps.js';

export interface PacketPathOptions {
  /** Handed to the taps. */
  readonly stream: TappedStream;
  readonly judge: StreamJudge;
  readonly isLive: boolean;
  /** Of a publish that was held. */
  readonly backlog: HeldBacklog | undefined;
  readonly deps: Pick<BroadcastDeps, 'buffers' | 'taps' | 'settings' | 'clock'>;
  /** Called once, for the packet after which the judge has found valid data. */
  readonly onValidData: (atMs: number) => void;
  /** The judge has records to take, or has ended the broadcast. */
  readonly onJudged: () => void;
}

export class PacketPath implements PacketTarget {
  /** Valid data has arrived: a preview can be published, a waiting broadcast goes LIVE. */
  dataFlows = false;
  /** Monotonic time of the last packet, for take-over. */
  lastDataMs: number;
  /** The broadcast is LIVE, possibly before the store has the transition. */
  isLive: boolean;
  /** A tap wants whole packets. A plain field: the socket compares it for each TLS record. */
  keepsPayload = false;
  readonly #options: PacketPathOptions;
  readonly #judge: StreamJudge;
  readonly #taps: Taps;
  #isOpen = true;
  #backlog: HeldBacklog | undefined;
  /** Until the next tick of the judge. */
  #lateMs = 0;
  #socket: SocketFacts | undefined;
  #isInterrupted = false;
  #lateAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: PacketPathOptions) {
    const { judge, isLive, backlog, deps } = options;
    this.#options = options;
    this.#judge = judge;
    this.#backlog = backlog;
    this.isLive = isLive;
    this.lastDataMs = deps.clock.monotonicMs();
    this.#taps = new Taps(deps.buffers);
    this.#openTaps('publish');
    if (isLive) this.#openTaps('live');
    this.#updateKeepsPayload();
  }

  // ---------------------------------------------------------------- packets

  /** Before LIVE, the next packet may be the first one of a recording. */
  #updateKeepsPayload(): void {
    this.keepsPayload = this.#taps.keepPayload || (!this.isLive && this.#options.deps.settings.record);
  }

  retainHeaders(payload: SliceList, partial: PartialFrame): boolean {
    if (this.keepsPayload || this.#backlog !== undefined) return false;
    // Without its first bytes, which no tap wanted when they came, it cannot be recorded.
    if (!this.#taps.takesParts || partial.decided > payload.taken) return this.#judge.retainHeaders(payload, partial);
    return this.#taps.part(payload, partial) && this.#retainTaken(payload, partial);
  }

  /** Of a message that a tap takes in parts: no byte may be skipped unseen. */
  #retainTaken(payload: SliceList, partial: PartialFrame): boolean {
    if (payload.length <= partial.unreadTo) {
      partial.drop(payload);
      return true;
    }
    const isRetained = this.#judge.retainHeaders(payload, partial);
    partial.unreadTo = partial.skipTo;
    partial.skipTo = 0;
    return isRetained;
  }

  video(message: MediaMessage): void {
    if (!this.#isOpen) return;
    if (this.#backlog === undefined || !this.#isHeldBack('video', message)) this.#judge.video(message);
    // Before the taps: the packet that makes it LIVE, usually the first key frame, is the first one recorded.
    if (!this.dataFlows && this.#judge.valid) this.#onValidData(message.atMs);
    this.#toTaps('video', message);
    this.#afterPacket(message.atMs);
  }

  audio(message: MediaMessage): void {
    if (!this.#isOpen) return;
    if (this.#backlog === undefined || !this.#isHeldBack('audio', message)) this.#judge.audio(message);
    if (!this.dataFlows && this.#judge.valid) this.#onValidData(message.atMs);
    this.#toTaps('audio', message);
    this.#afterPacket(message.atMs);
  }

  metadata(value: unknown, message: MediaMessage): void {
    if (!this.#isOpen) return;
    this.#backlog?.metadata(value);
    this.#judge.metadata(value, message.atMs);
    this.#taps.packet('data', message.timestampMs, message.payload);
    this.#updateKeepsPayload();
    this.#afterPacket(message.atMs);
  }

  /** A frame that no tap wants does not reach them. */
  #toTaps(kind: 'audio' | 'video', { timestampMs, payload }: MediaMessage): void {
    if (!this.#taps.isWanted && isPlainFrame(kind, payload)) return;
    this.#taps.packet(kind, timestampMs, payload);
    this.#updateKeepsPayload();
  }

  data(name: string, values: readonly unknown[], { timestampMs, atMs }: MediaMessage): void {
    if (!this.#isOpen || this.#backlog !== undefined) return;
    this.#judge.data(name, values, timestampMs, atMs);
    this.#afterJudging();
  }

  /** Not to be judged. A broadcast that waits for valid data goes LIVE with the first of it, also of a backlog. */
  #isHeldBack(kind: 'audio' | 'video', message: MediaMessage): boolean {
    if (this.#backlog?.holds(kind, message) === true) return this.isLive || this.dataFlows;
    this.#backlog = undefined;
    return false;
  }

  #onValidData(atMs: number): void {
    this.dataFlows = true;
    this.#options.onValidData(atMs);
  }

  #afterPacket(atMs: number): void {
    if (atMs - this.lastDataMs > BROADCAST_LIMITS.pauseMs) this.#isInterrupted = true;
    this.lastDataMs = atMs;
    this.#afterJudging();
  }

  #afterJudging(): void {
    if (this.#judge.changed || this.#judge.ended !== undefined) this.#options.onJudged();
  }

  /** No packet is judged or passed to taps from now on; the taps stay open. */
  stop(): void {
    this.#isOpen = false;
  }

  // ---------------------------------------------------------------- time

  /** The delay of a tick of the clock counts, even if the judge does not get that tick. */
  noteDelay(lateMs: number): void {
    if (lateMs > this.#lateMs) this.#lateMs = lateMs;
    if (lateMs > BROADCAST_LIMITS.pauseMs) this.#lateAtMs = this.#options.deps.clock.monotonicMs();
  }

  tick(wallMs: number, atMs: number): void {
    if (this.#backlog?.isOpen(atMs) === false) {
      this.#backlog.expire(atMs);
      this.#backlog = undefined;
    }
    if (this.#backlog === undefined) this.#judge.tick({ wallMs, atMs, own: { lateMs: this.#lateMs, ...this.#socket } });
    this.#lateMs = 0;
    this.#socket = undefined;
    this.#afterJudging();
    this.#taps.ask();
    this.#updateKeepsPayload();
  }

  takeSocket(socket: SocketFacts): void {
    this.#socket = socket;
  }

  get arrivesEvenly(): boolean {
    return this.#judge.arrivesEvenly;
  }

  takeInterruptions(): boolean {
    const atMs = this.#options.deps.clock.monotonicMs();
    const isSilent = atMs - this.lastDataMs > BROADCAST_LIMITS.pauseMs;
    const isInterrupted = this.#isInterrupted || isSilent;
    this.#isInterrupted = false;
    // A server that is late itself pauses every stream, and has no time to ask for the segments of each.
    return isInterrupted && atMs - this.#lateAtMs > BROADCAST_LIMITS.lateMs;
  }

  // ---------------------------------------------------------------- taps

  /** LIVE starts with the current packet: the first settings and the 8-hour limit count from it. */
  goLive(wallMs: number, atMs: number): void {
    this.isLive = true;
    this.#judge.goLive({ wallMs, atMs });
    this.#openTaps('live');
    this.#updateKeepsPayload();
  }

  #openTaps(when: 'publish' | 'live'): void {
    const { deps, stream } = this.#options;
    this.#taps.open(deps.taps, stream, when);
  }

  /** False if the stream is over. */
  attachTap(tap: MediaTap): boolean {
    if (!this.#isOpen) return false;
    this.#taps.attach(tap);
    this.#updateKeepsPayload();
    return true;
  }

  detachTap(tap: MediaTap): void {
    this.#taps.detach(tap);
    this.#updateKeepsPayload();
  }

  closeTaps(): void {
    this.#taps.close();
    this.#updateKeepsPayload();
  }
}

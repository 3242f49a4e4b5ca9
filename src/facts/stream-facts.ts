/**
 * All facts of one stream that the rules evaluate. One mutable object for the stream's lifetime; a packet updates numbers
 * and allocates nothing. Every entry point returns the events that it caused (`events.ts`).
 */

import { defined } from '../lib/objects.js';
import type { TimedData } from '../media/data/timed-data.js';
import type { AudioPacket, VideoPacket } from '../media/packet.js';
import { AnalysisFacts } from './analysis-facts.js';
import { AudioFacts } from './audio/audio-facts.js';
import { DataFacts } from './data/data-facts.js';
import { type MetadataFacts, noMetadata, readMetadata } from './data/metadata-facts.js';
import { ArrivalFacts } from './delivery/arrival-facts.js';
import { DeliveryFacts, ON_TIME, type OwnDelay } from './delivery/delivery-facts.js';
import { PerformanceFacts } from './delivery/performance-facts.js';
import {
  AUDIO_CONFIG,
  AUDIO_FRAME,
  CONNECT,
  DISCONNECT,
  DISORDER,
  END,
  GO_LIVE,
  METADATA,
  MULTITRACK,
  PERFORMANCE,
  SECOND,
  TICK,
  VIDEO_CONFIG,
  VIDEO_FRAME,
} from './measures/events.js';
import type { Measures } from './measures/measures.js';
import { newPacketFacts, type PacketFacts } from './measures/packet-facts.js';
import { MultitrackFacts } from './multitrack-facts.js';
import type { StreamSettings } from './settings-facts.js';
import { SettingsFacts } from './settings-facts.js';
import type { FrameRateClass } from './video/frame-rate.js';
import { VideoFacts } from './video/video-facts.js';

/** State kept over a reconnect, a restart or a move to another server. JSON-safe. */
export interface FactsSnapshot {
  readonly streamTimeMs: number;
  readonly frameRateClass?: FrameRateClass;
  /** Settings when the stream went LIVE, as far as known. */
  readonly first: StreamSettings;
}

export class StreamFacts {
  readonly video: VideoFacts;
  readonly audio: AudioFacts;
  readonly settings: SettingsFacts;
  readonly arrival: ArrivalFacts;
  /** Beyond the published document. */
  readonly analysis: AnalysisFacts;
  readonly data: DataFacts;
  readonly delivery: DeliveryFacts;
  readonly reported: PerformanceFacts;
  /** The last packet. */
  readonly packet: PacketFacts = newPacketFacts();
  metadata: MetadataFacts = noMetadata();
  /** Media time: advances of decode time over all connections. */
  streamTimeMs = 0;
  /** Stream time of the current event: the end of the stream so far, or the position of a header. */
  momentMs = 0;
  /** Stream time at which this connection began. */
  connectionStartMs = 0;
  connections = 0;
  /** A double from the start, like the offset in `packet`. */
  bytesReceived = Number.NaN;
  /** Track of the last disorder, and the step of its timestamp. */
  disorderTrack: 'video' | 'audio' = 'video';
  disorderStepMs = 0;
  readonly multitrack: MultitrackFacts;
  /** The encoder's name in its protocol: flashVer in RTMP. */
  clientName = '';
  /** Wall-clock rules apply besides media rules. */
  readonly isLiveMode: boolean;
  /** The connection uses TLS. */
  readonly isSecure: boolean;
  /** Elapsed milliseconds of the broadcast (or of the preview), in wall time and in media time. */
  elapsedWallMs = 0;
  elapsedMediaMs = 0;
  /** The file is over and was shorter than the windows, so it is measured over its whole. */
  isWholeFile = false;
  readonly #track: number;
  readonly #analyzes: boolean;
  readonly #wholeFile: Measures['wholeFile'];
  readonly #measures: Measures;
  #mediaStartMs = 0;

  constructor(
    measures: Measures,
    options: {
      readonly isLiveMode: boolean;
      readonly isSecure: boolean;
      readonly analysis: boolean;
      /** In LUFS; absent or NaN: there is none. */
      readonly loudnessTarget?: number | undefined;
      /** The video track that these facts are of; the first by default. */
      readonly track?: number;
    },
  ) {
    this.bytesReceived = 0;
    this.#track = options.track ?? 0;
    this.multitrack = new MultitrackFacts(measures.tracksApartMs);
    this.video = new VideoFacts(measures);
    this.audio = new AudioFacts(measures);
    this.settings = new SettingsFacts(this.video, this.audio);
    this.arrival = new ArrivalFacts(measures);
    this.analysis = new AnalysisFacts(measures, options.loudnessTarget);
    this.data = new DataFacts(measures.data);
    this.delivery = new DeliveryFacts(measures.ownDelayMs);
    this.reported = new PerformanceFacts(measures.analysis.windowMs);
    this.#analyzes = options.analysis;
    this.#wholeFile = measures.wholeFile;
    this.#measures = measures;
    this.isLiveMode = options.isLiveMode;
    this.isSecure = options.isSecure;
  }

  connect(atMs: number, clientName: string, midStream = false): number {
    this.video.reset();
    this.audio.reset();
    this.analysis.reset(midStream);
    this.data.reset();
    this.delivery.connect();
    this.reported.reset();
    this.connections++;
    this.connectionStartMs = this.streamTimeMs;
    this.metadata = noMetadata();
    this.clientName = clientName;
    this.arrival.connect(atMs, this.streamTimeMs);
    this.atClock();
    return CONNECT;
  }

  /** `wallMs`: wall time of arrival, NaN for a file. */
  observeVideo(packet: VideoPacket, messageNumber: number, byteOffset: number, wallMs = Number.NaN): number {
    const { packet: at } = this;
    this.#begin('video', messageNumber, byteOffset);
    at.nalTypes = packet.nalTypes;
    const several = this.#several('video', packet) | this.#keyFrame(packet);
    this.momentMs = this.streamTimeMs;
    if (packet.trackId !== this.#track) return several;
    let events = several | this.video.observe(packet, this.audio.clock, this.connectionStartMs, at);
    if (this.#analyzes) events |= this.#analyzeVideo(packet, events, wallMs);
    return this.#advanced(events, 'video', this.video.clock.highMs, this.video.clock.stepMs);
  }

  observeAudio(packet: AudioPacket, messageNumber: number, byteOffset: number): number {
    this.#begin('audio', messageNumber, byteOffset);
    const several = this.#several('audio', packet);
    this.momentMs = this.streamTimeMs;
    if (packet.trackId !== 0) return several;
    let events = several | this.audio.observe(packet, this.video.clock, this.connectionStartMs, this.packet);
    if (this.#analyzes) {
      events |= this.analysis.audio(packet, this.audio, events);
      if ((events & AUDIO_FRAME) !== 0) this.delivery.audio(this.audio.clock.stepMs);
    }
    return this.#advanced(events, 'audio', this.audio.clock.highMs, this.audio.clock.stepMs);
  }

  observeMetadata(value: unknown): number {
    this.metadata = readMetadata(value);
    this.momentMs = this.streamTimeMs;
    return METADATA;
  }

  /** A data message other than onMetaData, with its timestamp. */
  observeData(data: TimedData, timestampMs: number): number {
    if (!this.#analyzes) return 0;
    this.atClock();
    return this.data.message(data, timestampMs, this.streamTimeMs, this.video.rate.meanFps);
  }

  /** Records a message's size and time of arrival. */
  arrived(bytes: number, atMs: number): void {
    this.bytesReceived += bytes;
    const before = this.arrival.lastPacketAtMs;
    this.arrival.packet(atMs);
    if (this.#delivers) this.delivery.message(bytes, atMs - before, atMs);
  }

  /** `elapsedWallMs`: of the broadcast, or of the preview. */
  tick(atMs: number, elapsedWallMs: number, own: OwnDelay = ON_TIME): number {
    this.elapsedWallMs = elapsedWallMs;
    this.arrival.tick(atMs, this.streamTimeMs);
    this.atClock();
    if (!this.#delivers || !this.arrival.connected) return TICK;
    const hasMedia = this.video.clock.started || this.audio.clock.started;
    return this.delivery.tick(atMs, this.streamTimeMs, hasMedia, own) ? TICK | SECOND : TICK;
  }

  /** No lag, gap or interruption is being looked into. Without the analysis none is. */
  get arrivesEvenly(): boolean {
    return !this.#delivers || this.delivery.isEven;
  }

  /** A key frame was decoded, or could not be (`PictureFacts`). */
  decoded(number: number, gray: Uint8Array | undefined): number {
    this.atClock();
    return this.analysis.picture.decoded(number, gray);
  }

  disconnect(atMs: number): number {
    this.arrival.disconnect(atMs);
    this.atClock();
    return DISCONNECT;
  }

  /** The broadcast begins: its duration and reference settings start now. */
  goLive(): number {
    this.settings.retake();
    this.restartDuration(this.streamTimeMs);
    return GO_LIVE;
  }

  restartDuration(mediaStartMs: number): void {
    this.#mediaStartMs = mediaStartMs;
    this.elapsedWallMs = 0;
    this.elapsedMediaMs = this.streamTimeMs - mediaStartMs;
  }

  get mediaStartMs(): number {
    return this.#mediaStartMs;
  }

  /** The end of a file. If it is short, measures it over its whole. Returns events. */
  measureWhole(): number {
    const { minMs, maxMs } = this.#wholeFile;
    if (this.streamTimeMs >= maxMs) return 0;
    this.isWholeFile = true;
    this.momentMs = this.streamTimeMs;
    this.audio.measureWhole(minMs);
    return this.video.measureWhole(minMs);
  }

  end(): number {
    this.atClock();
    return END;
  }

  snapshot(): FactsSnapshot {
    return {
      streamTimeMs: this.streamTimeMs,
      ...defined({ frameRateClass: this.video.rate.class }),
      first: this.settings.first,
    };
  }

  restore(kept: FactsSnapshot): void {
    this.streamTimeMs = kept.streamTimeMs;
    this.connectionStartMs = kept.streamTimeMs;
    this.video.rate.class = kept.frameRateClass;
    this.settings.first = { ...kept.first };
  }

  #begin(kind: 'video' | 'audio', messageNumber: number, byteOffset: number): void {
    const at = this.packet;
    at.kind = kind;
    at.messageNumber = messageNumber;
    at.byteOffset = byteOffset;
    at.nalTypes = 0;
    at.decodeTimeMs = this.streamTimeMs;
    at.presentationTimeMs = this.streamTimeMs;
  }

  get #delivers(): boolean {
    return this.isLiveMode && this.#analyzes;
  }

  #analyzeVideo(packet: VideoPacket, events: number, wallMs: number): number {
    let more = this.analysis.video(packet, this.video, events);
    if ((events & VIDEO_FRAME) === 0) return more;
    more |= this.data.video(packet, events, this.video.clock.timeMs, this.video.rate.meanFps);
    this.delivery.video(this.analysis.qp);
    if (packet.performance === undefined) return more;
    this.reported.add(packet.performance, this.video.clock.timeMs, wallMs);
    return more | PERFORMANCE;
  }

  #several(kind: 'video' | 'audio', packet: VideoPacket | AudioPacket): number {
    if (!packet.multitrack && packet.trackId === 0) return 0;
    return this.multitrack.packet(kind, packet.trackId) ? MULTITRACK : 0;
  }

  #keyFrame({ type, idr, recoveryPoint, trackId, timestampMs, compositionTimeMs }: VideoPacket): number {
    if (type !== 'coded' || !(idr || recoveryPoint)) return 0;
    return this.multitrack.keyFrame(trackId, timestampMs + compositionTimeMs) ? MULTITRACK : 0;
  }

  #advanced(events: number, track: 'video' | 'audio', highMs: number, stepMs: number): number {
    if ((events & DISORDER) !== 0) {
      this.disorderTrack = track;
      this.disorderStepMs = stepMs;
      if (stepMs > this.#measures.advanceCapMs || stepMs < -this.#measures.beatMs) this.delivery.restart();
    }
    this.delivery.gap.step(stepMs);
    if (highMs > this.streamTimeMs) {
      this.streamTimeMs = highMs;
      this.elapsedMediaMs = highMs - this.#mediaStartMs;
    }
    const hasSettings = (events & (VIDEO_CONFIG | AUDIO_CONFIG)) !== 0;
    this.momentMs = hasSettings ? this.packet.decodeTimeMs : this.streamTimeMs;
    if (this.isLiveMode && events !== 0) this.arrival.media(this.streamTimeMs);
    return events;
  }

  /** Events of the clock have no packet: their evidence is the time alone. */
  atClock(): void {
    const at = this.packet;
    at.kind = 'clock';
    this.momentMs = this.streamTimeMs;
    at.decodeTimeMs = this.streamTimeMs;
    at.presentationTimeMs = this.streamTimeMs;
    at.nalTypes = 0;
  }
}

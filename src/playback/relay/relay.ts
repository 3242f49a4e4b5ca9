/**
 * Relays one stream to the child. Keeps the bytes written since the last key frame, so that a restarted child continues
 * where the old one ended. Nothing here throws into ingest or blocks it.
 */
import type { SliceList } from '../../bytes/slices.js';
import type { Log, MediaTap } from '../../ports/index.js';
import type { AmfObject } from '../../rtmp/amf/amf-value.js';
import { ChunkEncoder } from '../../rtmp/chunks/encoder.js';
import { MESSAGE_TYPE } from '../../rtmp/protocol.js';
import { PLAYBACK_LIMITS } from '../context/limits.js';
import { metadataBody, PlayerPackets, playerMetadata } from './player-packets.js';
import { RELAY_CHUNK_BYTES, RELAY_STREAM_ID, type RelayEndpoint, RelayLink } from './relay-link.js';
import { Timeline } from './timeline.js';

export interface RelayOptions {
  readonly liveVideoId: string;
  /** The video track; absent: the first. */
  readonly track?: number;
  readonly startMs: number;
  readonly log: Log;
  readonly onLinkLost: () => void;
  readonly onClosed: (lastMs: number) => void;
}

/** One chunk stream for each type: node-media-server keeps one buffer for each, and reads past the end of short messages. */
const CHUNK_STREAM = { data: 6, audio: 4, video: 5 } as const;
/** After this many audio packets without video, the stream is audio only. */
const AUDIO_ONLY_PACKETS = 50;
/** After this many video frames without audio, the stream has no audio. */
const SILENT_FRAMES = 10;

export class Relay implements MediaTap {
  readonly track: number;
  readonly #options: RelayOptions;
  readonly #encoder = new ChunkEncoder({ chunkSize: RELAY_CHUNK_BYTES });
  readonly #packets = new PlayerPackets();
  readonly #timeline: Timeline;
  #link: RelayLink | undefined;
  #streamName = '';
  #closed = false;
  #flowing = false;
  /** The link has received everything since a key frame. */
  #inStep = false;
  #gop: Buffer[] = [];
  #gopBytes = 0;
  #gopFromMs = 0;
  /** The GOP is complete: no packet was left out. */
  #gopWhole = false;
  #metadata: AmfObject = {};
  #videoHeader: Uint8Array | undefined;
  #audioHeader: Uint8Array | undefined;
  #announcedAudio = true;
  #audioSeen = 0;
  #videoSeen = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.track = options.track ?? 0;
    this.#timeline = new Timeline(options.startMs);
  }

  // ---------------------------------------------------------------- from the stream

  packet(kind: 'audio' | 'video' | 'data', timestampMs: number, payload: SliceList): void {
    if (this.#closed) return;
    try {
      if (kind === 'video') this.#video(timestampMs, payload);
      else if (kind === 'audio') this.#audio(timestampMs, payload);
      else this.#data(timestampMs, payload);
    } catch (error) {
      this.#options.log.error({ error, liveVideoId: this.#options.liveVideoId }, 'playback relay failed');
      this.close();
    }
  }

  /** The stream has ended, or its last viewer has left. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#link?.close();
    this.#link = undefined;
    this.#forgetPictures();
    this.#options.onClosed(this.#timeline.lastMs);
  }

  #data(timestampMs: number, payload: SliceList): void {
    this.#metadata = playerMetadata(payload);
    if (this.#flowing) this.#send(MESSAGE_TYPE.dataAmf0, timestampMs, this.#metadataBody());
  }

  #video(timestampMs: number, message: SliceList): void {
    const { role, payload } = this.#packets.video(message);
    if (role === 'none') return;
    if (role === 'header') {
      this.#videoHeader = payload.copy(0, payload.length);
      if (this.#flowing) this.#send(MESSAGE_TYPE.video, timestampMs, payload);
      return;
    }
    this.#videoSeen++;
    if (role === 'key') this.#begin(timestampMs);
    if (this.#flowing) this.#send(MESSAGE_TYPE.video, timestampMs, payload);
  }

  #audio(timestampMs: number, message: SliceList): void {
    const { role, payload } = this.#packets.audio(message);
    if (role === 'none') return;
    if (role === 'header') {
      this.#audioHeader = payload.copy(0, payload.length);
      if (this.#flowing) this.#send(MESSAGE_TYPE.audio, timestampMs, payload);
      return;
    }
    this.#audioSeen++;
    // Without video, every audio packet is a starting point.
    if (this.#videoSeen === 0 && this.#audioSeen > AUDIO_ONLY_PACKETS) this.#begin(timestampMs);
    if (this.#flowing) this.#send(MESSAGE_TYPE.audio, timestampMs, payload);
  }

  /** A starting point for decoders: a key frame, or audio of an audio-only stream. The kept GOP starts again here. */
  #begin(timestampMs: number): void {
    const atMs = this.#timeline.at(timestampMs);
    this.#flowing = true;
    // While no child is connected, undelivered media is kept across key frames for up to `outageMs`.
    if (!this.#inStep && this.#gopWhole && atMs - this.#gopFromMs <= PLAYBACK_LIMITS.outageMs) return;
    this.#forgetPictures();
    this.#gopWhole = true;
    this.#gopFromMs = atMs;
    // A link in step has the headers already; a new one receives them with the GOP.
    const isNew = !this.#inStep;
    if (this.#link?.publishing) this.#inStep = true;
    const isNews = isNew || this.#hasAudio !== this.#announcedAudio;
    this.#pass(isNews, this.#encode(MESSAGE_TYPE.dataAmf0, atMs, this.#metadataBody()));
    if (this.#videoHeader) this.#pass(isNew, this.#encode(MESSAGE_TYPE.video, atMs, this.#videoHeader));
    if (this.#audioHeader) this.#pass(isNew, this.#encode(MESSAGE_TYPE.audio, atMs, this.#audioHeader));
  }

  #pass(isNews: boolean, message: Buffer): void {
    if (isNews) this.#write(message);
    else this.#keep(message);
  }

  get #hasAudio(): boolean {
    return this.#audioHeader !== undefined || this.#audioSeen > 0 || this.#videoSeen < SILENT_FRAMES;
  }

  #metadataBody(): Uint8Array {
    this.#announcedAudio = this.#hasAudio;
    return metadataBody(this.#metadata, { hasAudio: this.#announcedAudio, hasVideo: this.#videoSeen > 0 });
  }

  // ---------------------------------------------------------------- to the child

  #send(typeId: number, timestampMs: number, payload: SliceList | Uint8Array): void {
    this.#write(this.#encode(typeId, this.#timeline.at(timestampMs), payload));
  }

  #encode(typeId: number, atMs: number, payload: SliceList | Uint8Array): Buffer {
    const chunkStream =
      typeId === MESSAGE_TYPE.video
        ? CHUNK_STREAM.video
        : typeId === MESSAGE_TYPE.audio
          ? CHUNK_STREAM.audio
          : CHUNK_STREAM.data;
    return this.#encoder.encode(chunkStream, typeId, RELAY_STREAM_ID, atMs, payload);
  }

  #write(message: Buffer): void {
    this.#keep(message);
    if (this.#inStep) this.#link?.write(message);
  }

  #keep(message: Buffer): void {
    if (!this.#gopWhole) return;
    this.#gop.push(message);
    this.#gopBytes += message.length;
    if (this.#gopBytes <= PLAYBACK_LIMITS.gopBytes && this.#gop.length <= PLAYBACK_LIMITS.gopMessages) return;
    this.#forgetPictures();
  }

  #forgetPictures(): void {
    this.#gop = [];
    this.#gopBytes = 0;
    this.#gopWhole = false;
  }

  get streamName(): string {
    return this.#streamName;
  }

  /**
   * Publishes to this child under a new name. Does nothing if it already does. node-media-server keeps the last frames of a
   * name for 30 s after its publisher has left, and would treat a publisher that returns as its continuation.
   */
  connect(endpoint: RelayEndpoint, newName: () => string): void {
    if (this.#closed || this.#link?.endpoint === endpoint) return;
    this.#link?.close();
    this.#inStep = false;
    this.#streamName = newName();
    const link = new RelayLink(endpoint, this.#streamName, {
      onPublishing: () => this.#catchUp(link),
      onLost: (reason) => this.#onLost(link, reason),
    });
    this.#link = link;
  }

  #catchUp(link: RelayLink): void {
    if (this.#link !== link || !this.#gopWhole) return;
    this.#inStep = true;
    for (const message of this.#gop) link.write(message);
  }

  #onLost(link: RelayLink, reason: string): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.#inStep = false;
    this.#options.log.warn({ liveVideoId: this.#options.liveVideoId, reason }, 'playback relay connection lost');
    this.#options.onLinkLost();
  }
}

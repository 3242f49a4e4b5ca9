/**
 * Relays one stream to the child: an RTMP publish on loopback. Keeps the bytes written since the last key frame, so that a
 * restarted child continues where the old one ended. Nothing here throws into ingest or blocks it.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { SliceList } from '../../bytes/slices.js';
import type { Log, MediaTap } from '../../ports/index.js';
import type { AmfObject } from '../../rtmp/amf/amf-value.js';
import { ChunkEncoder } from '../../rtmp/chunks/encoder.js';
import { MESSAGE_TYPE } from '../../rtmp/protocol.js';
import { ClientSession } from '../../rtmp/session/client-session.js';
import { STREAM_APP } from '../context/child-messages.js';
import type { RunningStreams } from '../context/deps.js';
import { PLAYBACK_LIMITS } from '../context/limits.js';
import { qualityOf } from '../context/quality.js';
import { metadataBody, PlayerPackets, playerMetadata } from './player-packets.js';

/** Where a relay publishes: the child's RTMP port. */
export interface RelayEndpoint {
  readonly rtmpPort: number;
  sign(streamName: string): string;
}

export interface RelayRequest {
  /** The stream that viewers asked for (`quality.ts`). */
  readonly liveVideoId: string;
  /** Player time of its first frame. */
  readonly startMs: number;
  readonly home: RelayHome;
}

/** Owner of a relay, which asked for it. */
export interface RelayHome {
  /** The child is gone or does not read; the relay needs a new connection. */
  reconnect(): void;
  /** The stream has ended, or the relay failed. `lastMs`: the latest time that viewers may have received. */
  closed(relay: RunningRelay, lastMs: number): void;
}

export interface RunningRelay {
  /** The name under which it was last published. */
  readonly streamName: string;
  /** Publishes to this child under a new name. Does nothing if it already does. */
  connect(endpoint: RelayEndpoint, newName: () => string): void;
  close(): void;
}

export interface RelaySource {
  /** `undefined`: the stream is not running. */
  open(request: RelayRequest): Promise<RunningRelay | undefined>;
}

/** Large enough for each message to be a single chunk. */
const RELAY_CHUNK_BYTES = 0xffffff;
/** The stream id that node-media-server gives the first stream of a connection. */
const RELAY_STREAM_ID = 1;

/** One chunk stream for each type: node-media-server keeps one buffer for each, and reads past the end of short messages. */
const CHUNK_STREAM = { data: 6, audio: 4, video: 5 } as const;
/** After this many audio packets without video, the stream is audio only. */
const AUDIO_ONLY_PACKETS = 50;
/** After this many video frames without audio, the stream has no audio. */
const SILENT_FRAMES = 10;

export class Relay implements MediaTap, RunningRelay {
  readonly liveVideoId: string;
  readonly track: number;
  readonly #home: RelayHome;
  readonly #streams: RunningStreams;
  readonly #log: Log;
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

  constructor(request: RelayRequest, streams: RunningStreams, log: Log) {
    const { liveVideoId, track } = qualityOf(request.liveVideoId);
    this.liveVideoId = liveVideoId;
    this.track = track;
    this.#home = request.home;
    this.#streams = streams;
    this.#log = log;
    this.#timeline = new Timeline(request.startMs);
  }

  // ---------------------------------------------------------------- from the stream

  packet(kind: 'audio' | 'video' | 'data', timestampMs: number, payload: SliceList): void {
    if (this.#closed) return;
    try {
      if (kind === 'video') this.#video(timestampMs, payload);
      else if (kind === 'audio') this.#audio(timestampMs, payload);
      else this.#data(timestampMs, payload);
    } catch (error) {
      this.#log.error({ error, liveVideoId: this.liveVideoId }, 'playback relay failed');
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
    this.#streams.detach(this.liveVideoId, this);
    this.#home.closed(this, this.#timeline.lastMs);
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
    this.#link = new RelayLink(endpoint, this.#streamName, this);
  }

  /** The child accepts media on this link: sends it what was kept. */
  catchUp(link: RelayLink): void {
    if (this.#link !== link || !this.#gopWhole) return;
    this.#inStep = true;
    for (const message of this.#gop) link.write(message);
  }

  /** Called at most once for a link, and never after its `close`. */
  lose(link: RelayLink, reason: string): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    this.#inStep = false;
    this.#log.warn({ liveVideoId: this.liveVideoId, reason }, 'playback relay connection lost');
    this.#home.reconnect();
  }
}

/** One connection of a relay to the child. */
class RelayLink {
  readonly endpoint: RelayEndpoint;
  readonly #socket: Socket;
  readonly #session: ClientSession;
  readonly #relay: Relay;
  readonly #tooLate: NodeJS.Timeout;
  #reason = 'closed by the playback server';
  #closed = false;
  #publishing = false;

  constructor(endpoint: RelayEndpoint, streamName: string, relay: Relay) {
    this.endpoint = endpoint;
    this.#relay = relay;
    const { rtmpPort } = endpoint;
    this.#socket = connect({ host: '127.0.0.1', port: rtmpPort, noDelay: true });
    this.#session = new ClientSession({
      app: STREAM_APP,
      tcUrl: `rtmp://127.0.0.1:${rtmpPort}/${STREAM_APP}`,
      name: `${streamName}?${endpoint.sign(streamName)}`,
      chunkSize: RELAY_CHUNK_BYTES,
      randomBytes: (size) => randomBytes(size),
      sink: {
        send: (bytes) => this.write(bytes),
      },
    });
    const tooLate = setTimeout(() => this.#drop('did not accept the stream in time'), PLAYBACK_LIMITS.relayStartMs);
    this.#socket.once('connect', () => this.#session.start());
    this.#socket.on('data', (bytes: Buffer) => {
      try {
        this.#session.push(bytes);
        const { state, refusal } = this.#session;
        if (refusal !== undefined) this.#drop(`refused: ${refusal.code}`);
        else if (state === 'publishing' && !this.#publishing) this.#accepted();
      } catch (error) {
        this.#drop(error instanceof Error ? error.message : String(error));
      }
    });
    this.#socket.on('error', (error) => {
      this.#reason = error.message;
    });
    this.#socket.once('close', () => {
      clearTimeout(tooLate);
      if (!this.#closed) this.#relay.lose(this, this.#reason);
      this.#closed = true;
    });
    this.#tooLate = tooLate;
  }

  get publishing(): boolean {
    return this.#publishing && !this.#socket.destroyed;
  }

  /** Writes one message as chunks. Loses the link when more than `relayBytes` are unread. */
  write(bytes: Uint8Array): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(bytes);
    if (this.#socket.writableLength > PLAYBACK_LIMITS.relayBytes) this.#drop('the playback server does not read');
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#tooLate);
    if (this.#socket.destroyed) return;
    this.#session.close();
    // Flush first: the child has yet to read the last frames.
    this.#socket.destroySoon();
    setTimeout(() => this.#socket.destroy(), PLAYBACK_LIMITS.relayEndMs).unref();
  }

  /** The child accepts media. */
  #accepted(): void {
    clearTimeout(this.#tooLate);
    if (this.#session.streamId !== RELAY_STREAM_ID) {
      this.#drop(`unexpected stream id ${this.#session.streamId}`);
      return;
    }
    this.#publishing = true;
    this.#relay.catchUp(this);
  }

  #drop(reason: string): void {
    this.#reason = reason;
    this.#publishing = false;
    this.#socket.destroy();
  }
}

/** Relays of the streams of this process; `remote-relays.ts` asks other processes for theirs. */
export class LocalRelays implements RelaySource {
  readonly #streams: RunningStreams;
  readonly #log: Log;

  constructor(streams: RunningStreams, log: Log) {
    this.#streams = streams;
    this.#log = log;
  }

  async open(request: RelayRequest): Promise<Relay | undefined> {
    const relay = new Relay(request, this.#streams, this.#log);
    return this.#streams.attach(relay.liveVideoId, relay) ? relay : undefined;
  }
}

/** A larger jump is a change of the encoder's clock, not a pause of the stream. */
const BACK_MS = 5_000;
const FORWARD_MS = 10_000;
/** Distance of the first packet after a seam: about one frame. */
export const SEAM_MS = 33;

/**
 * Player timestamps: they start at 0, skip jumps of the encoder's clock, and continue without a gap when the encoder
 * reconnects. Audio and video are shifted together.
 */
export class Timeline {
  #fromMs: number | undefined;
  #toMs: number;
  #lastMs: number;

  /** `startMs`: the time of the first packet. */
  constructor(startMs = 0) {
    this.#toMs = startMs;
    this.#lastMs = startMs - SEAM_MS;
  }

  /** The latest time that was returned; before the first one, just before the start. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** `timestampMs`: 32-bit milliseconds that wrap. The result does not wrap (49 days of one stream are not supported). */
  at(timestampMs: number): number {
    let atMs = this.#fromMs === undefined ? Number.NaN : this.#toMs + ((timestampMs - this.#fromMs) | 0);
    const jumps = !(atMs >= this.#lastMs - BACK_MS && atMs <= this.#lastMs + FORWARD_MS);
    if (jumps) {
      this.#fromMs = timestampMs;
      this.#toMs = this.#lastMs + SEAM_MS;
      atMs = this.#toMs;
    }
    // Audio older than the first frame is clamped to the start.
    atMs = Math.max(atMs, this.#toMs);
    this.#lastMs = Math.max(this.#lastMs, atMs);
    return atMs;
  }
}

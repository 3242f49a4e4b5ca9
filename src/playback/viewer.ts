/**
 * One viewer: reads a stream from the child and hands it on in whole tags. It can be moved to another child or another
 * relay in mid-stream: what it had already is left out, so that its player sees one stream without a seam.
 */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { STREAM_APP } from './child-messages.js';
import { PLAYBACK_LIMITS } from './limits.js';
import type { ViewerSink } from './sinks.js';
import type { Endpoint } from './supervisor.js';
import {
  flvUnits,
  type Measure,
  OPCODE,
  tagTimeMs,
  tagType,
  UnitTooLongError,
  WholeUnits,
  webSocketFrame,
  webSocketHeaderBytes,
  webSocketOpcode,
} from './whole-units.js';

export interface ViewerEvents {
  /** The child's side went: to be watched again. */
  onSourceLost(viewer: Viewer): void;
  /** Told once. */
  onGone(viewer: Viewer, cause: string): void;
}

const AUDIO = 8;
const VIDEO = 9;

/** The connection to the child. */
interface Source {
  readonly endpoint: Endpoint;
  readonly streamName: string;
  readonly request: ClientRequest;
  socket?: Socket;
}

export class Viewer {
  readonly liveVideoId: string;
  /** Whether it is somebody who watches, not a converter of ours. */
  readonly counts: boolean;
  readonly #sink: ViewerSink;
  readonly #events: ViewerEvents;
  #source: Source | undefined;
  #begun = false;
  #hasHead = false;
  #gone = false;
  /** Of the last tag that was handed on, for audio and video. */
  readonly #lastMs = new Map<number, number>();
  /** Tags up to `#lastMs` come again after a move. */
  readonly #repeats = new Set<number>();
  #heardAtMs: number;
  #nowMs: number;
  #leastWaiting = 0;
  #drainedAtMs: number;

  constructor(liveVideoId: string, sink: ViewerSink, events: ViewerEvents, nowMs: number, counts = true) {
    this.liveVideoId = liveVideoId;
    this.counts = counts;
    this.#sink = sink;
    this.#events = events;
    this.#nowMs = nowMs;
    this.#heardAtMs = nowMs;
    this.#drainedAtMs = nowMs;
    sink.onControl = (frame) => this.#onControl(frame);
  }

  /** Reads this stream of this child; nothing happens when it does so already. */
  watch(endpoint: Endpoint, streamName: string): void {
    const old = this.#source;
    if (this.#gone || (old?.endpoint === endpoint && old.streamName === streamName)) return;
    this.#source = undefined;
    old?.request.destroy();
    old?.socket?.destroy();
    const { form, webSocketKey } = this.#sink;
    const upgrade = form === 'websocket';
    const asked = request({
      host: '127.0.0.1',
      port: endpoint.httpPort,
      path: `/${STREAM_APP}/${streamName}.flv?${endpoint.sign(streamName)}`,
      agent: false,
      headers: upgrade ? upgradeHeaders(webSocketKey ?? '') : {},
    });
    const source: Source = { endpoint, streamName, request: asked };
    this.#source = source;
    asked.on('error', () => this.#onLost(source));
    asked.on('response', (answer) => this.#onAnswer(source, answer, upgrade));
    asked.on('upgrade', (answer, socket, head) => this.#onUpgrade(source, answer, socket, head));
    asked.end();
  }

  #onAnswer(source: Source, answer: IncomingMessage, upgrade: boolean): void {
    if (this.#source !== source || upgrade || answer.statusCode !== 200) {
      answer.destroy();
      this.#onLost(source);
      return;
    }
    this.#begin(answer);
    this.#read(source, answer, flvUnits(), (unit, isFirst) => (isFirst ? this.#onHead(unit) : this.#onTag(unit, 0)));
    answer.on('error', () => this.#onLost(source));
    answer.on('close', () => this.#onLost(source));
  }

  #onUpgrade(source: Source, answer: IncomingMessage, socket: Socket, head: Buffer): void {
    source.socket = socket;
    if (this.#source !== source) {
      socket.destroy();
      return;
    }
    this.#begin(answer);
    if (head.length > 0) socket.unshift(head);
    this.#read(source, socket, webSocketFrame, (frame, isFirst) => {
      const opcode = webSocketOpcode(frame);
      if (opcode > OPCODE.close) this.#sink.write(frame);
      else if (opcode === OPCODE.close) this.end('closed');
      else if (isFirst) this.#onHead(frame);
      else this.#onTag(frame, webSocketHeaderBytes(frame) ?? 0);
    });
    socket.on('error', () => this.#onLost(source));
    socket.on('close', () => this.#onLost(source));
  }

  #read(
    source: Source,
    from: IncomingMessage | Socket,
    measure: Measure,
    onUnit: (unit: Buffer, isFirst: boolean) => void,
  ): void {
    let isFirst = true;
    const units = new WholeUnits(measure, PLAYBACK_LIMITS.tagBytes, (unit) => {
      if (this.#source === source && !this.#gone) onUnit(unit, isFirst);
      isFirst = false;
    });
    from.on('data', (bytes: Buffer) => {
      try {
        units.push(bytes);
      } catch (error) {
        if (!(error instanceof UnitTooLongError)) throw error;
        this.drop('the playback server sent no FLV');
      }
    });
  }

  #begin(answer: IncomingMessage): void {
    this.#repeats.add(AUDIO).add(VIDEO);
    if (!this.#begun) this.#sink.begin(answer);
    this.#begun = true;
  }

  /** The header of the file, which a stream has once. */
  #onHead(unit: Buffer): void {
    if (!this.#hasHead) this.#write(unit);
    this.#hasHead = true;
  }

  #onTag(unit: Buffer, at: number): void {
    const type = tagType(unit, at);
    if (type === AUDIO || type === VIDEO) {
      const timeMs = tagTimeMs(unit, at);
      if (this.#repeats.has(type)) {
        if (timeMs <= (this.#lastMs.get(type) ?? -1)) return;
        this.#repeats.delete(type);
      }
      this.#lastMs.set(type, timeMs);
    }
    this.#write(unit);
  }

  #write(unit: Buffer): void {
    this.#heardAtMs = this.#nowMs;
    this.#sink.write(unit);
    // There is no pushing back: what is not read is dropped, and the child never waits.
    if (this.#sink.waitingBytes > PLAYBACK_LIMITS.viewerBytes) this.drop('does not read');
  }

  #onControl(frame: Buffer): void {
    const socket = this.#source?.socket;
    if (socket !== undefined) socket.write(frame);
    else if (webSocketOpcode(frame) === OPCODE.close) this.end('closed by the viewer');
  }

  #onLost(source: Source): void {
    if (this.#source !== source) return;
    this.#source = undefined;
    if (!this.#gone) this.#events.onSourceLost(this);
  }

  /** Once a second: ends a viewer that nothing comes for, and one that does not read. */
  tick(nowMs: number): void {
    this.#nowMs = nowMs;
    const waiting = this.#sink.waitingBytes;
    if (waiting === 0 || waiting < this.#leastWaiting) this.#drainedAtMs = nowMs;
    this.#leastWaiting = waiting;
    if (nowMs - this.#drainedAtMs > PLAYBACK_LIMITS.viewerStalledMs) this.drop('does not read');
    else if (nowMs - this.#heardAtMs > PLAYBACK_LIMITS.viewerIdleMs) this.end('nothing comes');
  }

  /** In order: the stream is over. */
  end(cause: string): void {
    if (this.#leave()) {
      this.#sink.end();
      this.#events.onGone(this, cause);
    }
  }

  drop(cause: string): void {
    if (this.#leave()) {
      this.#sink.destroy();
      this.#events.onGone(this, cause);
    }
  }

  /** The viewer's own end went. */
  left(): void {
    if (this.#leave()) this.#events.onGone(this, 'left');
  }

  #leave(): boolean {
    if (this.#gone) return false;
    this.#gone = true;
    this.#source?.request.destroy();
    this.#source?.socket?.destroy();
    this.#source = undefined;
    return true;
  }
}

/** Subprotocols and extensions of the viewer are not passed on: one of them would make it a publisher. */
function upgradeHeaders(key: string): Record<string, string> {
  return { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key };
}

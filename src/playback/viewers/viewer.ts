/**
 * One viewer: reads a stream from the child and passes it on in whole tags. It can move to another child or another
 * relay in mid-stream: tags that it has already received are skipped, so that its player sees one continuous stream.
 */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { Endpoint } from '../child/supervisor.js';
import { STREAM_APP } from '../context/child-messages.js';
import { PLAYBACK_LIMITS } from '../context/limits.js';
import type { ViewerSink } from './sinks.js';
import {
  flvUnits,
  OPCODE,
  tagTimeMs,
  tagType,
  UnitTooLongError,
  WholeUnits,
  webSocketFrame,
  webSocketHeaderBytes,
  webSocketOpcode,
} from './whole-units.js';

/** The audience that a viewer belongs to. */
export interface ViewerHome {
  /** Connects the viewer again: its connection to the child has ended. */
  reconnect(): void;
  /** Called once. */
  remove(viewer: Viewer, cause: string): void;
}

const AUDIO = 8;
const VIDEO = 9;

/** The connection to the child. */
interface Source {
  readonly endpoint: Endpoint;
  readonly streamName: string;
  readonly request: ClientRequest;
  socket?: Socket;
  /** The FLV file header, its first unit, has arrived. */
  hasBegun: boolean;
}

export class Viewer {
  readonly liveVideoId: string;
  /** False for an internal converter, which is not counted as a viewer. */
  readonly counts: boolean;
  readonly #sink: ViewerSink;
  readonly #home: ViewerHome;
  #source: Source | undefined;
  #begun = false;
  #hasHead = false;
  #gone = false;
  /** Time of the last tag passed on, by type (audio, video). */
  readonly #lastMs = new Map<number, number>();
  /** Types whose tags up to `#lastMs` are repeated after a move. */
  readonly #repeats = new Set<number>();
  #heardAtMs: number;
  #nowMs: number;
  #leastWaiting = 0;
  #drainedAtMs: number;

  constructor(liveVideoId: string, sink: ViewerSink, home: ViewerHome, nowMs: number, counts = true) {
    this.liveVideoId = liveVideoId;
    this.counts = counts;
    this.#sink = sink;
    this.#home = home;
    this.#nowMs = nowMs;
    this.#heardAtMs = nowMs;
    this.#drainedAtMs = nowMs;
    sink.viewer = this;
  }

  /** Reads this stream from this child. Does nothing if it already does. */
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
    const source: Source = { endpoint, streamName, request: asked, hasBegun: false };
    this.#source = source;
    asked.on('error', () => this.#lose(source));
    asked.on('response', (answer) => {
      if (this.#source === source && !upgrade && answer.statusCode === 200) {
        this.#read(source, answer, answer);
        return;
      }
      answer.destroy();
      this.#lose(source);
    });
    asked.on('upgrade', (answer, socket, head) => {
      source.socket = socket;
      if (this.#source !== source) {
        socket.destroy();
        return;
      }
      if (head.length > 0) socket.unshift(head);
      this.#read(source, answer, socket);
    });
    asked.end();
  }

  #read(source: Source, answer: IncomingMessage, from: IncomingMessage | Socket): void {
    this.#repeats.add(AUDIO).add(VIDEO);
    if (!this.#begun) this.#sink.begin(answer);
    this.#begun = true;
    const units =
      from === answer
        ? new WholeUnits(flvUnits(), PLAYBACK_LIMITS.tagBytes, (unit) => this.#takeUnit(source, unit, 0))
        : new WholeUnits(webSocketFrame, PLAYBACK_LIMITS.tagBytes, (frame) => this.#takeFrame(source, frame));
    from.on('data', (bytes: Buffer) => {
      try {
        units.push(bytes);
      } catch (error) {
        if (!(error instanceof UnitTooLongError)) throw error;
        this.drop('the playback server sent no FLV');
      }
    });
    from.on('error', () => this.#lose(source));
    from.on('close', () => this.#lose(source));
  }

  #takeFrame(source: Source, frame: Buffer): void {
    if (this.#source !== source) return;
    const opcode = webSocketOpcode(frame);
    if (opcode > OPCODE.close) this.#sink.write(frame);
    else if (opcode === OPCODE.close) this.end('closed');
    else this.#takeUnit(source, frame, webSocketHeaderBytes(frame) ?? 0);
  }

  /** `at`: where the FLV file header or tag starts within its frame. */
  #takeUnit(source: Source, unit: Buffer, at: number): void {
    if (this.#source !== source) return;
    if (!source.hasBegun) {
      source.hasBegun = true;
      // The FLV file header is sent once.
      if (!this.#hasHead) this.#write(unit);
      this.#hasHead = true;
      return;
    }
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
    // No backpressure: a slow viewer is dropped, so that the child never waits.
    if (this.#sink.waitingBytes > PLAYBACK_LIMITS.viewerBytes) this.drop('does not read');
  }

  /** A control frame that the player sent. */
  control(frame: Buffer): void {
    const socket = this.#source?.socket;
    if (socket !== undefined) socket.write(frame);
    else if (webSocketOpcode(frame) === OPCODE.close) this.end('closed by the viewer');
  }

  /** The connection to the child has ended. */
  #lose(source: Source): void {
    if (this.#source !== source) return;
    this.#source = undefined;
    this.#home.reconnect();
  }

  /** Once a second: ends a viewer that receives no data, and one that does not read. */
  tick(nowMs: number): void {
    this.#nowMs = nowMs;
    const waiting = this.#sink.waitingBytes;
    if (waiting === 0 || waiting < this.#leastWaiting) this.#drainedAtMs = nowMs;
    this.#leastWaiting = waiting;
    if (nowMs - this.#drainedAtMs > PLAYBACK_LIMITS.viewerStalledMs) this.drop('does not read');
    else if (nowMs - this.#heardAtMs > PLAYBACK_LIMITS.viewerIdleMs) this.end('no data');
  }

  /** Ends the connection cleanly: the stream is over. */
  end(cause: string): void {
    if (this.#leave()) {
      this.#sink.end();
      this.#home.remove(this, cause);
    }
  }

  drop(cause: string): void {
    if (this.#leave()) {
      this.#sink.destroy();
      this.#home.remove(this, cause);
    }
  }

  /** The viewer closed its connection. */
  left(): void {
    if (this.#leave()) this.#home.remove(this, 'left');
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

/** The viewer's subprotocols and extensions are not passed on: one of them would make it a publisher. */
function upgradeHeaders(key: string): Record<string, string> {
  return { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key };
}

/** Destinations of a viewer's bytes: an HTTP response, a WebSocket, or the standard input of a converter. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import { refusalText } from '../../lib/http-refusals.js';
import { PLAYBACK_LIMITS } from '../context/limits.js';
import { OPCODE, WholeUnits, webSocketFrame, webSocketOpcode } from './whole-units.js';

export interface ViewerSink {
  /** Form requested from the child: plain FLV, or FLV in WebSocket frames. */
  readonly form: 'flv' | 'websocket';
  /** `Sec-WebSocket-Key` that the viewer sent. */
  readonly webSocketKey?: string;
  readonly waitingBytes: number;
  /** Called before the first bytes, with the child's response. */
  begin(answer: IncomingMessage): void;
  write(unit: Uint8Array): void;
  /** The stream has ended. */
  end(): void;
  destroy(): void;
  /** The viewer that writes here; it gets the control frames of its player. */
  viewer?: { control(frame: Buffer): void } | undefined;
}

export const PLAYER_HEADERS = {
  'cache-control': 'no-store',
  // Any origin may read: access depends on the ticket, not on cookies.
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
} as const;

export class HttpSink implements ViewerSink {
  readonly form = 'flv';
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get waitingBytes(): number {
    return this.#response.writableLength;
  }

  begin(): void {
    this.#response.writeHead(200, { ...PLAYER_HEADERS, 'content-type': 'video/x-flv' });
  }

  write(unit: Uint8Array): void {
    this.#response.write(unit);
  }

  end(): void {
    if (!this.#response.headersSent) this.#response.writeHead(503, { ...PLAYER_HEADERS, 'retry-after': '2' });
    this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }
}

/** Status 1000, as the server's side writes it (RFC 6455 5.5.1). */
const NORMAL_CLOSE = Uint8Array.from([0x88, 0x02, 0x03, 0xe8]);

export class WebSocketSink implements ViewerSink {
  readonly form = 'websocket';
  readonly webSocketKey: string;
  viewer: ViewerSink['viewer'];
  readonly #socket: Duplex;
  #begun = false;

  constructor(socket: Duplex, head: Buffer, webSocketKey: string) {
    this.#socket = socket;
    this.webSocketKey = webSocketKey;
    // A player sends pings, pongs and a close only; any other frame, or a longer one, ends the connection.
    const frames = new WholeUnits(webSocketFrame, PLAYBACK_LIMITS.controlFrameBytes, (frame) => {
      if (webSocketOpcode(frame) < OPCODE.close) socket.destroy();
      else this.viewer?.control(Buffer.from(frame));
    });
    const read = (bytes: Buffer): void => {
      try {
        frames.push(bytes);
      } catch {
        socket.destroy();
      }
    };
    socket.on('data', read);
    if (head.length > 0) read(head);
  }

  get waitingBytes(): number {
    return this.#socket.writableLength;
  }

  begin(answer: IncomingMessage): void {
    this.#begun = true;
    const accept = answer.headers['sec-websocket-accept'] ?? '';
    this.#socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
  }

  write(unit: Uint8Array): void {
    this.#socket.write(unit);
  }

  end(): void {
    if (this.#begun) this.#socket.end(NORMAL_CLOSE);
    else refuseUpgrade(this.#socket, 503);
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(refusalText(status, status === 503 ? { 'Retry-After': '2' } : {}));
}

/** FLV into the standard input of a child process. */
export class PipeSink implements ViewerSink {
  readonly form = 'flv';
  readonly #pipe: Writable;

  constructor(pipe: Writable) {
    this.#pipe = pipe;
  }

  get waitingBytes(): number {
    return this.#pipe.writableLength;
  }

  begin(): void {
    // A pipe needs no header before the data.
  }

  write(unit: Uint8Array): void {
    this.#pipe.write(unit);
  }

  end(): void {
    this.#pipe.end();
  }

  destroy(): void {
    this.#pipe.destroy();
  }
}

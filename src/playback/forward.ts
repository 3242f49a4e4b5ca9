/**
 * Viewers of a broadcast that another server receives are passed on to it, as they come. The connection there is opened
 * with a ticket, which only who has the server key can make, and what is not read here is not read there: that server
 * holds what waits and drops the viewer as it would drop one of its own. Here little waits, and as long at most.
 */
import { type ClientRequest, type IncomingMessage, request as plainRequest, type ServerResponse } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import type { Log } from '../ports/index.js';
import { PLAYBACK_LIMITS } from './limits.js';
import { PLAYER_HEADERS, refuseUpgrade } from './sinks.js';

/** Passed on once: the server that is asked with it answers for itself. */
export const FORWARDED = 'x-airlock-forwarded';

export interface OtherServers {
  /** `https://host:port` of the server that receives this broadcast; `undefined`: this one, none, or none that can be reached. */
  home(liveVideoId: string): Promise<string | undefined>;
  /** For addresses with `https`. */
  readonly tls: Pick<ConnectionOptions, 'ca' | 'servername' | 'checkServerIdentity'>;
}

const TOLD = ['content-type', 'retry-after'] as const;

export class Forwarder {
  readonly #tls: OtherServers['tls'];
  readonly #log: Log;
  readonly #running = new Set<{ destroy(): unknown }>();

  constructor(tls: OtherServers['tls'], log: Log) {
    this.#tls = tls;
    this.#log = log;
  }

  /** Viewers that are passed on now. */
  get count(): number {
    return this.#running.size;
  }

  get isFull(): boolean {
    return this.count >= PLAYBACK_LIMITS.viewers;
  }

  /** Answers as the other server does; with 503 when it cannot be reached. */
  answer(url: string, response: ServerResponse): void {
    const asked = this.#ask(url, {});
    const unreachable = (): void => {
      if (!response.headersSent) response.writeHead(503, { ...PLAYER_HEADERS, 'retry-after': '2' });
      response.end();
    };
    asked.once('error', unreachable);
    asked.once('response', (answer) => {
      asked.off('error', unreachable);
      response.writeHead(answer.statusCode ?? 502, { ...PLAYER_HEADERS, ...picked(answer) });
      pipeline(answer, response, () => asked.destroy());
      if (response.socket !== null) dropStalled(response.socket);
    });
    response.once('close', () => asked.destroy());
    asked.end();
  }

  /** The same for a WebSocket; `head` is what its viewer said already. */
  upgrade(url: string, key: string, socket: Duplex, head: Buffer): void {
    const asked = this.#ask(url, {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
    });
    const unreachable = (): void => refuseUpgrade(socket, 503);
    asked.once('error', unreachable);
    asked.once('response', (answer) => {
      asked.off('error', unreachable);
      refuseUpgrade(socket, answer.statusCode ?? 503);
      asked.destroy();
    });
    asked.once('upgrade', (answer: IncomingMessage, there: Socket, first: Buffer) => {
      asked.off('error', unreachable);
      // The request is over with this; its socket goes on.
      this.#running.add(there);
      there.once('close', () => this.#running.delete(there));
      there.setTimeout(PLAYBACK_LIMITS.forwardIdleMs, () => there.destroy());
      const accept = answer.headers['sec-websocket-accept'] ?? '';
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      if (first.length > 0) there.unshift(first);
      if (head.length > 0) there.write(head);
      pipeline(there, socket, () => there.destroy());
      pipeline(socket, there, () => socket.destroy());
      if (socket instanceof Socket) dropStalled(socket);
      if (socket.destroyed) there.destroy();
    });
    socket.once('close', () => asked.destroy());
    asked.end();
  }

  #ask(url: string, headers: Record<string, string>): ClientRequest {
    const secure = url.startsWith('https:');
    const options = { agent: false, headers: { ...headers, [FORWARDED]: '1' } } as const;
    const asked = secure ? tlsRequest(url, { ...options, ...this.#tls }) : plainRequest(url, options);
    this.#running.add(asked);
    asked.setTimeout(PLAYBACK_LIMITS.forwardIdleMs, () => asked.destroy(new Error('the other server says nothing')));
    asked.on('error', (error) => {
      const { origin } = new URL(url);
      this.#log.warn({ server: origin, error }, 'the server that receives a broadcast could not be asked for it');
    });
    asked.once('close', () => this.#running.delete(asked));
    return asked;
  }

  close(): void {
    for (const each of [...this.#running]) each.destroy();
  }
}

/**
 * Ends a viewer that takes nothing of what waits for it. While it is not read, the end of the other server's connection
 * is not seen either. Not the socket's own timeout, which may take a write that hangs for a sign of life.
 */
function dropStalled(viewer: Socket): void {
  let takenBytes = 0;
  let stalledMs = 0;
  const timer = setInterval(() => {
    const waiting = viewer.writableLength;
    const taken = viewer.bytesWritten - waiting;
    stalledMs = waiting === 0 || taken !== takenBytes ? 0 : stalledMs + PLAYBACK_LIMITS.tickMs;
    takenBytes = taken;
    if (stalledMs >= PLAYBACK_LIMITS.viewerStalledMs) viewer.destroy();
  }, PLAYBACK_LIMITS.tickMs).unref();
  viewer.once('close', () => clearInterval(timer));
}

function picked(answer: IncomingMessage): Record<string, string> {
  return Object.fromEntries(TOLD.flatMap((name) => (answer.headers[name] ? [[name, answer.headers[name]]] : [])));
}

/**
 * Forwards viewers of a broadcast that another server receives to that server. The upstream connection carries a ticket,
 * which only holders of the server key can issue. Backpressure passes through: data that the viewer does not read is not
 * read from the other server, which buffers it and drops the viewer as one of its own. Buffers and stalls are bounded here too.
 */
import { type ClientRequest, type IncomingMessage, request as plainRequest, type ServerResponse } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import type { Log } from '../../ports/index.js';
import type { OtherServers } from '../context/deps.js';
import { PLAYBACK_LIMITS } from '../context/limits.js';
import { PLAYER_HEADERS, refuseUpgrade } from './sinks.js';

/** Marks a forwarded request; the receiving server answers it itself and never forwards it again. */
export const FORWARDED = 'x-airlock-forwarded';

const FORWARDED_ANSWER_HEADERS = ['content-type', 'retry-after'] as const;

export class Forwarder {
  readonly #tls: OtherServers['tls'];
  readonly #log: Log;
  readonly #running = new Set<{ destroy(): unknown }>();

  constructor(tls: OtherServers['tls'], log: Log) {
    this.#tls = tls;
    this.#log = log;
  }

  /** Number of viewers that are currently forwarded. */
  get count(): number {
    return this.#running.size;
  }

  get isFull(): boolean {
    return this.count >= PLAYBACK_LIMITS.viewers;
  }

  /** Relays the other server's answer; 503 if it is unreachable. */
  answer(url: string, response: ServerResponse): void {
    const upstream = this.#ask(url, {});
    const unreachable = (): void => {
      if (!response.headersSent) response.writeHead(503, { ...PLAYER_HEADERS, 'retry-after': '2' });
      response.end();
    };
    upstream.once('error', unreachable);
    upstream.once('response', (answer) => {
      upstream.off('error', unreachable);
      const { statusCode = 0 } = answer;
      // Node reads a status of 0 to 99, and throws when it is to write one.
      response.writeHead(statusCode < 200 ? 502 : statusCode, { ...PLAYER_HEADERS, ...picked(answer) });
      pipeline(answer, response, () => upstream.destroy());
      if (response.socket !== null) dropStalled(response.socket);
    });
    response.once('close', () => upstream.destroy());
    upstream.end();
  }

  /** Forwards a WebSocket; `head` holds the bytes that the viewer has sent already. */
  upgrade(url: string, key: string, socket: Duplex, head: Buffer): void {
    const upstream = this.#ask(url, {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': key,
    });
    const unreachable = (): void => refuseUpgrade(socket, 503);
    upstream.once('error', unreachable);
    upstream.once('response', (answer) => {
      upstream.off('error', unreachable);
      refuseUpgrade(socket, answer.statusCode ?? 503);
      upstream.destroy();
    });
    upstream.once('upgrade', (answer: IncomingMessage, there: Socket, first: Buffer) => {
      upstream.off('error', unreachable);
      // The request has ended with the upgrade; its socket lives on.
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
    socket.once('close', () => upstream.destroy());
    upstream.end();
  }

  #ask(url: string, headers: Record<string, string>): ClientRequest {
    const secure = url.startsWith('https:');
    const options = { agent: false, headers: { ...headers, [FORWARDED]: '1' } } as const;
    const upstream = secure ? tlsRequest(url, { ...options, ...this.#tls }) : plainRequest(url, options);
    this.#running.add(upstream);
    upstream.setTimeout(PLAYBACK_LIMITS.forwardIdleMs, () => upstream.destroy(new Error('the other server timed out')));
    upstream.on('error', (error) => {
      const { origin } = new URL(url);
      this.#log.warn({ server: origin, error }, 'cannot reach the server that receives the broadcast');
    });
    upstream.once('close', () => this.#running.delete(upstream));
    return upstream;
  }

  close(): void {
    for (const each of [...this.#running]) each.destroy();
  }
}

/**
 * Destroys a viewer's socket when none of its buffered data is read for too long. While the viewer does not read, the end
 * of the upstream connection is not noticed either. The socket's own timeout is not used: a blocked write may reset it.
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
  return Object.fromEntries(
    FORWARDED_ANSWER_HEADERS.flatMap((name) => (answer.headers[name] ? [[name, answer.headers[name]]] : [])),
  );
}

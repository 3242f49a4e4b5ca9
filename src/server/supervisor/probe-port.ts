/**
 * A port for the probes of an orchestrator or a balancer. The supervisor answers `/healthz` and `/readyz?role=ingest` itself;
 * other questions are forwarded to the web process, which may hang or be restarting. Anyone who reaches the port may
 * send anything: no request can throw out of its handler, and connections that send none make room for those that do.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { isLoopback } from '../../config/settings/networks.js';
import { addressGroup } from '../../lib/address-group.js';
import { FORWARDING_HEADERS } from '../../lib/client-address.js';
import { refuseUnparsed, SAFE_HEADERS, SafeResponse } from '../../lib/http-refusals.js';
import { defined } from '../../lib/objects.js';
import { portOf } from '../../lib/sockets.js';
import type { Log } from '../../ports/index.js';
import { PROBE_LIMITS } from './limits.js';

const { waiting, headerBytes, relayed, answerMs, balancerMs, wholeMs } = PROBE_LIMITS;

const RELAYED = new Set(['/readyz', '/metrics']);
const HEADERS = { 'Cache-Control': 'no-store', Connection: 'close', ...SAFE_HEADERS } as const;
/** RFC 9112, 3.2: the origin form, or the absolute form, which servers must accept. The path is the first group. */
const TARGET = /^(?:https?:\/\/[^/?#]+)?(\/(?!\/)[^?#]*)(?:\?[^#]*)?$/i;
const BAD_ESCAPE = /%(?![0-9a-f]{2})/i;

/** `stopped`: a signal has stopped every ingest process. */
export type IngestState = 'ok' | 'draining' | 'no ingest process runs' | 'stopped';

/** Parts that a forwarded request gets from here. */
interface Relay {
  readonly withinMs: number;
  /** Status in place of 503. */
  readonly unready: 404 | 503;
}

const STOPPED = { status: 'unavailable', checks: { ingest: 'the ingest process is stopped' } };

export interface ProbePortOptions {
  readonly host: string;
  readonly port: number;
  /** The HTTP port, served by the web process. */
  readonly httpHost: string;
  readonly httpPort: number;
  readonly isTls: boolean;
  readonly ingest: () => IngestState;
  readonly log: Log;
  /** Overrides the limit, for tests. */
  readonly requestMs?: number;
}

/** A connection without a complete request. */
interface Waiting {
  readonly group: string;
  readonly deadline: NodeJS.Timeout;
  /** Whether the data that arrived with the connection has been read, so it may make room. */
  isRead: boolean;
}

export class ProbePort {
  readonly #options: ProbePortOptions;
  readonly #server: Server;
  /** The oldest first. */
  readonly #waiting = new Map<Socket, Waiting>();
  #relayed = 0;

  constructor(options: ProbePortOptions) {
    this.#options = options;
    // Node checks its own deadlines at an interval, which wakes an idle machine; here each connection has a timer.
    const handle = (request: IncomingMessage, response: ServerResponse) => void this.#handle(request, response);
    const settings = { headersTimeout: 0, requestTimeout: 0, maxHeaderSize: headerBytes, ServerResponse: SafeResponse };
    this.#server = createServer(settings, handle);
    refuseUnparsed(this.#server);
    // Node's own answer would keep the connection open.
    this.#server.on('checkExpectation', handle);
    this.#server.on('connection', (socket) => this.#connected(socket));
  }

  /** Resolves with the port in use. */
  listen(): Promise<number> {
    const { host, port, log } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => log.error({ error }, 'the probe port failed'));
        const inUse = portOf(this.#server) ?? port;
        log.info({ host, port: inUse }, 'probes are answered');
        resolve(inUse);
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #connected(socket: Socket): void {
    const { requestMs = PROBE_LIMITS.requestMs } = this.#options;
    const deadline = setTimeout(() => socket.destroy(), requestMs).unref();
    const entry = { group: addressGroup(socket.remoteAddress ?? ''), deadline, isRead: false };
    this.#waiting.set(socket, entry);
    socket.once('close', () => this.#arrived(socket));
    // A turn of the loop accepts connections, the next one reads what arrived with them: a complete request is answered,
    // however many connections come after its own.
    setImmediate(() =>
      setImmediate(() => {
        entry.isRead = true;
        this.#makeRoom();
      }),
    );
  }

  /** The connection waits no more: it is closed, or its request is complete. False if it has had one before. */
  #arrived(socket: Socket): boolean {
    const entry = this.#waiting.get(socket);
    clearTimeout(entry?.deadline);
    return this.#waiting.delete(socket);
  }

  /** Closes the oldest waiting connection of the address that has the most, until no more wait than may. */
  #makeRoom(): void {
    const silent = [...this.#waiting].filter(([, { isRead }]) => isRead);
    if (silent.length <= waiting) return;
    const groups = new Map<string, Socket[]>();
    for (const [socket, { group }] of silent) groups.set(group, (groups.get(group) ?? []).concat(socket));
    for (let excess = silent.length - waiting; excess > 0; excess--) {
      const largest = [...groups.values()].reduce((most, each) => (each.length > most.length ? each : most));
      const oldest = largest.shift();
      if (oldest === undefined) return;
      this.#arrived(oldest);
      oldest.destroy();
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // No prober sends several at once.
    if (!this.#arrived(request.socket)) return request.socket.destroySoon();
    const deadline = setTimeout(() => response.destroy(), wholeMs).unref();
    response.once('close', () => clearTimeout(deadline));
    response.on('error', () => response.destroy());
    try {
      await this.#answer(request, response);
    } catch (error) {
      this.#options.log.error({ error }, 'a probe was not answered');
      if (response.headersSent) response.destroy();
      else json(response, 500, { status: 'error' });
    }
  }

  #answer({ method, url = '', headers, socket }: IncomingMessage, response: ServerResponse): void | Promise<void> {
    const path = BAD_ESCAPE.test(url) ? undefined : TARGET.exec(url)?.[1];
    if (path === undefined) return json(response, 400, { status: 'bad request' });
    if (path !== '/healthz' && !RELAYED.has(path)) return json(response, 404, { status: 'not found' });
    if (method !== 'GET' && method !== 'HEAD') return json(response, 405, { status: 'not allowed' }, { Allow: 'GET' });
    const ingest = this.#options.ingest();
    if (path === '/healthz') {
      return ingest === 'stopped' ? json(response, 503, STOPPED) : json(response, 200, { status: 'ok' });
    }
    const query = url.includes('?') ? url.slice(url.indexOf('?')) : '';
    const relay = path === '/readyz' ? readiness(new URLSearchParams(query), ingest, response) : METRICS;
    if (relay === undefined) return;
    return this.#relay(path + query, { ...relay, asked: headers, peer: socket.remoteAddress ?? '' }, response);
  }

  async #relay(
    path: string,
    { asked, peer, withinMs, unready }: Relay & { readonly asked: IncomingHttpHeaders; readonly peer: string },
    response: ServerResponse,
  ): Promise<void> {
    if (this.#relayed >= relayed) return unavailable(response, unready, 'too many requests are on their way to it');
    this.#relayed++;
    response.once('close', () => this.#relayed--);
    const passedOn = ['authorization', ...FORWARDING_HEADERS];
    const outgoing = this.#ask(path, withinMs, {
      ...defined(Object.fromEntries(passedOn.map((name) => [name, asked[name]]))),
      // Metrics need a token except from this machine, so the forwarded request must carry the client's address.
      ...(isLoopback(peer) ? {} : { 'x-forwarded-for': peer }),
    });
    // The first one is thrown below; none may be without a listener.
    outgoing.on('error', () => undefined);
    response.once('close', () => outgoing.destroy());
    try {
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      const { statusCode = 502 } = answer;
      response.writeHead(statusCode === 503 ? unready : statusCode, { ...answer.headers, connection: 'close' });
      await pipeline(answer, response);
    } catch {
      if (response.headersSent) response.destroy();
      else unavailable(response, unready, 'the web process does not answer');
    }
  }

  #ask(path: string, timeout: number, headers: OutgoingHttpHeaders) {
    const { httpHost, httpPort, isTls } = this.#options;
    const outgoing = (isTls ? requestHttps : requestHttp)({
      // A wildcard address cannot be connected to. The name of loopback would need /etc/hosts.
      host: httpHost === '0.0.0.0' || httpHost === '::' ? '127.0.0.1' : httpHost,
      port: httpPort,
      path,
      headers,
      // A connection that was kept could be one to a process that has been replaced.
      agent: false,
      timeout,
      // The connection goes to this server's own port, so the certificate need not be verified.
      rejectUnauthorized: false,
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer')));
    return outgoing.end();
  }
}

const METRICS: Relay = { withinMs: answerMs, unready: 503 };

/**
 * Answers `/readyz` where the supervisor knows it; otherwise returns how it is forwarded. With `unready=404`, 503 is left to a
 * server that serves no stream, whose connections a balancer should end. One that serves its streams and takes no new ones
 * answers 404, which HAProxy (`disable-on-404`) tells from a failure.
 */
function readiness(query: URLSearchParams, ingest: IngestState, response: ServerResponse): Relay | undefined {
  const role = query.get('role');
  const isOfBalancer = query.get('unready') === '404';
  const unready = isOfBalancer ? 404 : 503;
  if (ingest === 'stopped' && (role === null || role === 'ingest')) json(response, 503, STOPPED);
  else if (role === 'ingest') {
    const isReady = ingest === 'ok';
    json(response, isReady ? 200 : unready, { status: isReady ? 'ok' : 'unavailable', checks: { ingest } });
  } else return { withinMs: isOfBalancer ? balancerMs : answerMs, unready };
  return undefined;
}

function unavailable(response: ServerResponse, status: 404 | 503, web: string): void {
  json(response, status, { status: 'unavailable', checks: { web } });
}

function json(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  const type = { 'Content-Type': 'application/json' };
  response.writeHead(status, { ...HEADERS, ...type, ...headers }).end(JSON.stringify(body));
}

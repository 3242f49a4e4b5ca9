/**
 * A port for the probes of an orchestrator. The supervisor answers `/healthz` itself, so only its own failure affects it;
 * `/readyz` and `/metrics` are forwarded to the web process, which may hang or be restarting.
 */
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { isLoopback } from '../../config/settings/networks.js';
import { defined } from '../../lib/objects.js';
import { portOf } from '../../lib/sockets.js';
import type { Log } from '../../ports/index.js';

/** Probes of orchestrators wait a second or a few. */
const ANSWER_MS = 2_000;
const RELAYED = new Set(['/readyz', '/metrics']);
const SAFE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;
/** Probes are short and few; larger requests and more connections are refused. */
const SOCKETS = 64;

export interface ProbePortOptions {
  readonly host: string;
  readonly port: number;
  /** The HTTP port, served by the web process. */
  readonly httpPort: () => number;
  readonly isTls: boolean;
  readonly log: Log;
}

export class ProbePort {
  readonly #options: ProbePortOptions;
  readonly #server: Server;

  constructor(options: ProbePortOptions) {
    this.#options = options;
    this.#server = createServer({ headersTimeout: ANSWER_MS, requestTimeout: ANSWER_MS }, (request, response) =>
      this.#answer(request, response),
    );
    this.#server.maxConnections = SOCKETS;
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
        log.info({ port: inUse }, 'probes are answered');
        resolve(inUse);
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', 'http://probe');
    if (pathname === '/healthz') json(response, 200, { status: 'ok' });
    else if (RELAYED.has(pathname)) this.#relay(request, response);
    else json(response, 404, { status: 'not found' });
  }

  #relay(incoming: IncomingMessage, response: ServerResponse): void {
    const { host, httpPort, isTls } = this.#options;
    const peer = incoming.socket.remoteAddress ?? '';
    const { authorization } = incoming.headers;
    const headers = {
      ...defined({ authorization }),
      // Metrics need a token except from this machine, so the forwarded request must carry the client's address.
      ...(isLoopback(peer.replace(/^::ffff:/, '')) ? {} : { 'x-forwarded-for': peer }),
    };
    // The connection goes to this server's own port, so the certificate need not be verified.
    // A wildcard address cannot be connected to.
    const own = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
    const options = {
      host: own,
      port: httpPort(),
      path: incoming.url,
      headers,
      timeout: ANSWER_MS,
      rejectUnauthorized: false,
    };
    const outgoing = (isTls ? requestHttps : requestHttp)(options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.once('error', () => response.destroy());
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.once('error', () => {
      if (response.headersSent) response.destroy();
      else json(response, 503, { status: 'unavailable', checks: { web: 'the web process does not answer' } });
    });
    response.once('close', () => outgoing.destroy());
    outgoing.end();
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...SAFE, 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

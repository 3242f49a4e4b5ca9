/** Rate limits of requests outside the graph: pages, files, playback, metrics, probes, upgrades. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Request, RequestHandler } from 'express';
import { addressOf, type IsProxy } from '../../lib/client-address.js';
import { refusalText, SAFE_HEADERS } from '../../lib/http-refusals.js';
import { hashToken } from '../access/tokens.js';
import type { RateLimits } from './rate-limits.js';

export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export type RequestKind = 'call' | 'page' | 'probe';

const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  ...SAFE_HEADERS,
};
const BODY = JSON.stringify({
  error: { message: '(#4) Application request limit reached', type: 'OAuthException', code: 4, is_transient: true },
});

export class MountLimits {
  readonly #limits: RateLimits;
  readonly #isProxy: IsProxy;
  readonly #onRefused: (address: string) => void;

  constructor(
    limits: RateLimits,
    isProxy: IsProxy = () => false,
    onRefused: (address: string) => void = () => undefined,
  ) {
    this.#limits = limits;
    this.#isProxy = isProxy;
    this.#onRefused = onRefused;
  }

  of(kind: RequestKind): RequestHandler {
    return (request: Request, response, next) => {
      this.#usedUpForMs(request, kind).then((waitMs) => {
        if (waitMs === 0) next();
        else response.writeHead(429, { ...HEADERS, 'Retry-After': String(Math.ceil(waitMs / 1000)) }).end(BODY);
      }, next);
    };
  }

  /** For the `upgrade` event of `HttpListener`, which handles the socket's errors also while the limits are asked. */
  upgrades(handler: UpgradeHandler): UpgradeHandler {
    return (request, socket, head) => {
      this.#usedUpForMs(request, 'page')
        .then((waitMs) => {
          if (socket.destroyed) return;
          if (waitMs === 0) handler(request, socket, head);
          else refuse(socket, waitMs);
        })
        .catch(() => socket.destroy());
    };
  }

  /** Counts by address first, then by the request's token. Returns 0 when within both limits. */
  async #usedUpForMs(request: IncomingMessage, kind: RequestKind): Promise<number> {
    const address = addressOf(request, this.#isProxy);
    if (this.#limits.isExempt(address, request)) return 0;
    const usedUpForMs = await this.#counted(address, request, kind);
    if (usedUpForMs > 0) this.#onRefused(address);
    return usedUpForMs;
  }

  async #counted(address: string, request: IncomingMessage, kind: RequestKind): Promise<number> {
    const byAddress = await this.#limits.countRequest(address, kind);
    const token = kind === 'probe' ? undefined : tokenOf(request);
    if (byAddress.usedUpForMs > 0 || token === undefined) return byAddress.usedUpForMs;
    return (await this.#limits.countToken(hashToken(token))).usedUpForMs;
  }
}

function tokenOf({ headers, url = '' }: IncomingMessage): string | undefined {
  const inHeader = /^Bearer\s+(\S{1,4096})/i.exec(headers.authorization ?? '')?.[1];
  if (inHeader !== undefined || !url.includes('access_token=')) return inHeader;
  return new URLSearchParams(url.slice(url.indexOf('?'))).get('access_token') ?? undefined;
}

function refuse(socket: Duplex, waitMs: number): void {
  socket.end(refusalText(429, { 'Retry-After': String(Math.ceil(waitMs / 1000)) }));
}

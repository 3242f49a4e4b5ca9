/**
 * Rate limits by token and by address, in windows of one minute. With Redis the counts are shared by all processes;
 * while Redis is unavailable each process keeps its own, so that a Redis outage never causes refusals.
 */
import type { IncomingMessage } from 'node:http';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { addressGroup } from '../../lib/address-group.js';
import { FORWARDING_HEADERS } from '../../lib/client-address.js';
import { ServiceError } from '../../spec/service-errors.js';
import type { RateLimitConfig } from '../context/config.js';
import type { Viewer } from '../context/viewer.js';

/** Far above the use of a person or a dashboard, far below the capacity of one process. */
export const RATE_LIMIT_DEFAULTS: RateLimitConfig = { perTokenPerMinute: 6_000, perAddressPerMinute: 12_000 };

/**
 * Pages, files and playback. An HLS viewer sends two requests a second, so this allows 500 viewers behind one address.
 * Served from memory or disk; counted per process.
 */
const PAGES_PER_ADDRESS = 60_000;
/** `/healthz` and `/readyz`: counted separately, so that other requests from the same network cannot fail a probe. */
const PROBES_PER_ADDRESS = 60_000;

const WINDOW_S = 60;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** State of a limit after one call. */
export interface Use {
  /** Calls in this window. */
  readonly used: number;
  /** Milliseconds until the limit resets; 0 when the call was within it. */
  readonly usedUpForMs: number;
}

const KNOWN_MAX = 10_000;

export class RateLimits {
  readonly #tokens: Limit;
  readonly #addresses: Limit;
  readonly #pages = new Limit('pages', PAGES_PER_ADDRESS, undefined);
  readonly #probes = new Limit('probes', PROBES_PER_ADDRESS, undefined);
  readonly #config: RateLimitConfig;

  constructor(config: RateLimitConfig) {
    this.#config = config;
    this.#tokens = new Limit('api-token', config.perTokenPerMinute, config.redis);
    this.#addresses = new Limit('api-address', config.perAddressPerMinute, config.redis);
  }

  /** @throws ServiceError 4; synchronously if the limit is already known to be used up */
  countAddress(address: string, calls = 1): Promise<void> {
    const group = addressGroup(address);
    const knownMs = this.#addresses.usedUpForMs(group);
    if (knownMs > 0) throw usedUp(4, '(#4) Application request limit reached', knownMs);
    return this.#addresses.consume(group, calls).then(({ usedUpForMs }) => {
      if (usedUpForMs > 0) throw usedUp(4, '(#4) Application request limit reached', usedUpForMs);
    });
  }

  /** Graph calls, pages and probes have separate limits. */
  countRequest(address: string, kind: 'call' | 'page' | 'probe'): Promise<Use> {
    const limit = { call: this.#addresses, page: this.#pages, probe: this.#probes }[kind];
    return limit.consume(addressGroup(address), 1);
  }

  /** Counts by hash of the token, so that counting need not wait for the token to load. */
  countToken(tokenHash: string, calls = 1): Promise<Use> {
    return this.#tokens.consume(tokenHash, calls);
  }

  /**
   * @returns the used share of the limit, in percent
   * @throws ServiceError 17, or 32 for a Page
   */
  enforceTokenLimit({ used, usedUpForMs }: Use, viewer: Viewer | undefined): number {
    const isPage = viewer?.ownerKind === 'page';
    const message = isPage ? '(#32) Page request limit reached' : '(#17) User request limit reached';
    if (usedUpForMs > 0) throw usedUp(isPage ? 32 : 17, message, usedUpForMs);
    return Math.floor((used / this.#config.perTokenPerMinute) * 100);
  }

  /** Check before counting: exempt requests are not counted. */
  isExempt(address: string, { headers }: Pick<IncomingMessage, 'headers'>): boolean {
    if (this.#config.countLoopback === true || !LOOPBACK.test(address)) return false;
    return FORWARDING_HEADERS.every((name) => headers[name] === undefined);
  }
}

class Limit {
  readonly #limiter: RateLimiterMemory | RateLimiterRedis;
  /** By key, the monotonic time in ms until which the limit is used up. */
  readonly #usedUp = new Map<string, number>();

  constructor(keyPrefix: string, points: number, redis: object | undefined) {
    const memory = new RateLimiterMemory({ keyPrefix, points, duration: WINDOW_S });
    this.#limiter =
      redis === undefined
        ? memory
        : new RateLimiterRedis({
            storeClient: redis,
            keyPrefix: `airlock:${keyPrefix}`,
            points,
            duration: WINDOW_S,
            insuranceLimiter: memory,
          });
  }

  usedUpForMs(key: string): number {
    return Math.max(0, (this.#usedUp.get(key) ?? 0) - performance.now());
  }

  async consume(key: string, points: number): Promise<Use> {
    const knownMs = this.usedUpForMs(key);
    if (knownMs > 0) return { used: Number.POSITIVE_INFINITY, usedUpForMs: knownMs };
    try {
      return { used: (await this.#limiter.consume(key, points)).consumedPoints, usedUpForMs: 0 };
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      if (this.#usedUp.size >= KNOWN_MAX) this.#usedUp.clear();
      this.#usedUp.set(key, performance.now() + error.msBeforeNext);
      return { used: error.consumedPoints, usedUpForMs: Math.max(1, error.msBeforeNext) };
    }
  }
}

function usedUp(code: number, message: string, forMs: number): ServiceError {
  return new ServiceError({
    code,
    type: 'OAuthException',
    status: 403,
    message,
    isTransient: true,
    data: { retry_after_s: Math.ceil(forMs / 1000) },
  });
}

/**
 * Limits on the number of requests, by token and by address, in windows of a minute. With Redis the counts are shared by
 * all processes; while Redis is away each process counts for itself, so that a limit never refuses for want of a store.
 */
import type { IncomingMessage } from 'node:http';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { addressGroup } from '../../lib/address-group.js';
import { ServiceError } from '../../spec/service-errors.js';
import type { RateLimitConfig } from '../context/config.js';
import type { Viewer } from '../context/viewer.js';

/** Far above what a person or a dashboard asks for, far below what one process can answer. */
export const RATE_LIMIT_DEFAULTS: RateLimitConfig = { perTokenPerMinute: 6_000, perAddressPerMinute: 12_000 };

/**
 * Pages, files and playback: a viewer of HLS asks twice a second, so this is a network of 500 viewers behind one address.
 * Answered from memory or the disk; counted by each process for itself.
 */
const PAGES_PER_ADDRESS = 60_000;
/** `/healthz` and `/readyz`: counted apart, so that nothing else that its network asks for makes a probe fail. */
const PROBES_PER_ADDRESS = 60_000;

const WINDOW_S = 60;
/** What proxies add to a request of another. */
const FORWARDED = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'] as const;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** What one call made of a limit. */
export interface Use {
  /** Calls in this window. */
  readonly used: number;
  /** 0: there was room for this one. */
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

  /** @throws ServiceError 4: at once, and with no promise made, where it is known that the limit is used up */
  countAddress(address: string, calls = 1): Promise<void> {
    const group = addressGroup(address);
    const knownMs = this.#addresses.usedUpForMs(group);
    if (knownMs > 0) throw usedUp(4, '(#4) Application request limit reached', knownMs);
    return this.#addresses.consume(group, calls).then(({ usedUpForMs }) => {
      if (usedUpForMs > 0) throw usedUp(4, '(#4) Application request limit reached', usedUpForMs);
    });
  }

  /** Calls of the interface, its pages and its probes are counted apart. */
  countRequest(address: string, kind: 'call' | 'page' | 'probe'): Promise<Use> {
    const limit = { call: this.#addresses, page: this.#pages, probe: this.#probes }[kind];
    return limit.consume(addressGroup(address), 1);
  }

  /** By the hash of the token, so that counting need not wait until it is known whose it is. */
  countToken(tokenHash: string, calls = 1): Promise<Use> {
    return this.#tokens.consume(tokenHash, calls);
  }

  /**
   * @returns what is used of the limit, in percent
   * @throws ServiceError 17, or 32 for a Page
   */
  holdToken({ used, usedUpForMs }: Use, viewer: Viewer | undefined): number {
    const isPage = viewer?.ownerKind === 'page';
    const message = isPage ? '(#32) Page request limit reached' : '(#17) User request limit reached';
    if (usedUpForMs > 0) throw usedUp(isPage ? 32 : 17, message, usedUpForMs);
    return Math.floor((used / this.#config.perTokenPerMinute) * 100);
  }

  /** Ask first: what is exempt is not to be counted. */
  isExempt(address: string, { headers }: Pick<IncomingMessage, 'headers'>): boolean {
    if (this.#config.countLoopback === true || !LOOPBACK.test(address)) return false;
    return FORWARDED.every((name) => headers[name] === undefined);
  }
}

class Limit {
  readonly #limiter: RateLimiterMemory | RateLimiterRedis;
  /** Until when nobody need ask, by key. */
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

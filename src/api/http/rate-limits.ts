/**
 * Limits on the number of requests, by token and by address, in windows of a minute. With Redis the counts are shared by
 * all processes; while Redis is away each process counts for itself, so that a limit never refuses for want of a store.
 */
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { ServiceError } from '../../spec/service-errors.js';
import type { Viewer } from '../access/tokens.js';

export interface RateLimitConfig {
  readonly perTokenPerMinute: number;
  readonly perAddressPerMinute: number;
  /** Requests from this machine itself are not counted unless this is set. */
  readonly countLoopback?: boolean;
  /** An ioredis client; absent: each process counts for itself. */
  readonly redis?: object;
}

/** Far above what a person or a dashboard asks for, far below what one process can answer. */
export const RATE_LIMIT_DEFAULTS: RateLimitConfig = { perTokenPerMinute: 6_000, perAddressPerMinute: 12_000 };

const WINDOW_S = 60;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

type Limiter = RateLimiterMemory | RateLimiterRedis;

export class RateLimits {
  readonly #tokens: Limiter;
  readonly #addresses: Limiter;
  readonly #config: RateLimitConfig;

  constructor(config: RateLimitConfig) {
    this.#config = config;
    this.#tokens = limiter('api-token', config.perTokenPerMinute, config.redis);
    this.#addresses = limiter('api-address', config.perAddressPerMinute, config.redis);
  }

  /** @throws ServiceError 4 */
  async countAddress(address: string): Promise<void> {
    await consume(this.#addresses, address, 4, '(#4) Application request limit reached');
  }

  /**
   * @returns what is used of the limit, in percent
   * @throws ServiceError 17, or 32 for a Page
   */
  async countToken(viewer: Viewer): Promise<number> {
    const isPage = viewer.ownerKind === 'page';
    const message = isPage ? '(#32) Page request limit reached' : '(#17) User request limit reached';
    const used = await consume(this.#tokens, viewer.tokenId, isPage ? 32 : 17, message);
    return Math.floor((used / this.#config.perTokenPerMinute) * 100);
  }

  /** Ask first: what is exempt is not to be counted. */
  isExempt(address: string): boolean {
    return this.#config.countLoopback !== true && LOOPBACK.test(address);
  }
}

function limiter(keyPrefix: string, points: number, redis: object | undefined): Limiter {
  const memory = new RateLimiterMemory({ keyPrefix, points, duration: WINDOW_S });
  if (redis === undefined) return memory;
  return new RateLimiterRedis({
    storeClient: redis,
    keyPrefix: `airlock:${keyPrefix}`,
    points,
    duration: WINDOW_S,
    insuranceLimiter: memory,
    inMemoryBlockOnConsumed: points + 1,
  });
}

async function consume(limit: Limiter, key: string, code: number, message: string): Promise<number> {
  try {
    return (await limit.consume(key)).consumedPoints;
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    throw new ServiceError({
      code,
      type: 'OAuthException',
      status: 403,
      message,
      isTransient: true,
      data: { retry_after_s: Math.ceil(error.msBeforeNext / 1000) },
    });
  }
}

/**
 * Bounds on what request bodies occupy until the response, in total and per holder, so that one holder cannot use up the total.
 * Bodies without a verified token have budgets of their own, divided by address, so that they cannot displace those of token
 * holders: memory, and space on disk for files that arrive before their token, since clients may order form parts freely.
 */
import { ServiceError } from '../../spec/service-errors.js';
import { tokenRequiredFirst } from '../access/faults.js';
import { API_LIMITS } from '../context/limits.js';

export interface BudgetLimits {
  readonly total: number;
  readonly perHolder: number;
}

export type Shortage = 'total' | 'holder';

export class ByteBudget {
  readonly #limits: BudgetLimits;
  readonly #byHolder = new Map<string, number>();
  #held = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  get held(): number {
    return this.#held;
  }

  open(holder: string): ByteShare {
    return new ByteShare((bytes) => this.#take(holder, bytes));
  }

  /** Negative `bytes` release. */
  #take(holder: string, bytes: number): Shortage | undefined {
    const ofHolder = (this.#byHolder.get(holder) ?? 0) + bytes;
    if (bytes > 0 && ofHolder > this.#limits.perHolder) return 'holder';
    if (bytes > 0 && this.#held + bytes > this.#limits.total) return 'total';
    this.#held += bytes;
    if (ofHolder === 0) this.#byHolder.delete(holder);
    else this.#byHolder.set(holder, ofHolder);
    return undefined;
  }
}

/** The share of one request in a budget. */
export class ByteShare {
  readonly #take: (bytes: number) => Shortage | undefined;
  #bytes = 0;

  constructor(take: (bytes: number) => Shortage | undefined) {
    this.#take = take;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the bound that would be exceeded, in which case nothing is taken. */
  take(bytes: number): Shortage | undefined {
    const shortage = this.#take(bytes);
    if (shortage === undefined) this.#bytes += bytes;
    return shortage;
  }

  release(): void {
    this.#take(-this.#bytes);
    this.#bytes = 0;
  }
}

export class BodyMemory {
  readonly #anonymous = new ByteBudget(API_LIMITS.anonymousBodies);
  readonly #verified = new ByteBudget(API_LIMITS.verifiedBodies);

  get held(): number {
    return this.#anonymous.held + this.#verified.held;
  }

  get limit(): number {
    return API_LIMITS.anonymousBodies.total + API_LIMITS.verifiedBodies.total;
  }

  /** `address`: the client's address group. */
  open(address: string): RequestMemory {
    return new RequestMemory(this.#anonymous.open(address), (ownerId) => this.#verified.open(ownerId));
  }
}

/** The share of one request. */
export class RequestMemory {
  #share: ByteShare;
  readonly #openFor: (ownerId: string) => ByteShare;

  constructor(share: ByteShare, openFor: (ownerId: string) => ByteShare) {
    this.#share = share;
    this.#openFor = openFor;
  }

  /** @throws ServiceError 2 */
  reserve(bytes: number): void {
    hold(this.#share.take(bytes));
  }

  /** Charges the body to the owner of its token from now on. @throws ServiceError 2 */
  transferTo(ownerId: string): void {
    const share = this.#openFor(ownerId);
    hold(share.take(this.#share.bytes));
    this.#share.release();
    this.#share = share;
  }

  release(): void {
    this.#share.release();
  }
}

const REASONS: Readonly<Record<Shortage, string>> = {
  total: 'The server is receiving too many request bodies',
  holder: 'Too many concurrent request bodies from this client',
};

function hold(shortage: Shortage | undefined): void {
  if (shortage === undefined) return;
  throw new ServiceError({
    code: 2,
    type: 'OAuthException',
    status: 503,
    message: `(#2) ${REASONS[shortage]}; try again`,
    isTransient: true,
    data: { retry_after_s: 1 },
    audit: 'limit reached: memory of request bodies',
  });
}

export class TokenlessFiles {
  readonly #budget = new ByteBudget(API_LIMITS.tokenlessFiles);

  /**
   * The share of one request. Release it when its files are discarded or became a video. `address`: an address group.
   */
  open(address: string): ByteShare {
    return this.#budget.open(address);
  }
}

/** Passes the bytes through. @throws ServiceError 104 once a bound is exceeded */
export async function* countTokenless(source: AsyncIterable<Uint8Array>, share: ByteShare): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    const isTooLarge = share.bytes + chunk.length > API_LIMITS.tokenlessFiles.perRequest;
    if (isTooLarge || share.take(chunk.length) !== undefined) throw tokenRequiredFirst('before a file of this size');
    yield chunk;
  }
}

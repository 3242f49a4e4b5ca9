/**
 * Accounts for the memory of request bodies until the response. Bodies without a verified token have a separate budget,
 * divided by address, so that they cannot displace those of token holders.
 */
import { ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import { ByteBudget, type ByteShare, type Shortage } from './byte-budget.js';

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

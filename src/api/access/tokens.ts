/** Access tokens: random, stored only as SHA-256, looked up by the alias `token:<hash>`. */
import { createHash, createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { defined } from '../../lib/objects.js';
import { copied } from '../../lib/text.js';
import { ALIAS, type Clock, type ObjectStore, type Store, TOPIC, type TokenWatch } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import type { ApiConfig } from '../context/config.js';
import { API_LIMITS } from '../context/limits.js';
import { Loader } from '../context/loader.js';
import type { Viewer } from '../context/viewer.js';
import { broadcastsOfScopes, isOpenToLink, type LinkRequest } from './broadcast-scope.js';
import { ancestorsOf, familyExpiry, familyScopes, isRevoked, type Token } from './families.js';
import { proofInvalid, tokenInvalid } from './faults.js';
import { OpenUses } from './open-uses.js';
import { TokenUse } from './token-use.js';

const CACHE_SIZE = 10_000;
/** Bounds how long a process that has lost the bus accepts a revoked token. */
const CACHE_MS = 2_000;

export function newToken(): string {
  return `AL${randomBytes(24).toString('base64url')}`;
}

export function hashToken(token: string): string {
  return hash('sha256', token);
}

interface Known {
  readonly viewer: Viewer;
  readonly untilMs: number;
}

export class TokenReader implements TokenWatch {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #config: ApiConfig;
  readonly #known = new Map<string, Known>();
  readonly #use: TokenUse;
  readonly #open: OpenUses;
  /** Validity by id, for links. */
  readonly #valid = new Map<string, { readonly isValid: boolean; readonly untilMs: number }>();
  readonly #unsubscribe: () => void;
  #generation = 0;

  constructor(store: Pick<Store, 'objects' | 'bus' | 'volatile'>, clock: Clock, config: ApiConfig) {
    this.#store = store.objects;
    this.#clock = clock;
    this.#config = config;
    this.#use = new TokenUse(store, clock);
    this.#open = new OpenUses((tokenId) => this.isValid(tokenId));
    // Clears the whole cache: a revocation also revokes the tokens derived from that token.
    this.#unsubscribe = store.bus.subscribe(TOPIC.tokens, () => {
      this.#generation += 1;
      this.#known.clear();
      this.#valid.clear();
      this.#open.recheck();
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#open.close();
    void this.#use.flush();
  }

  /** Incremented by each revocation. Read it before a token is loaded, so that one revoked meanwhile is not cached. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the token is still valid; the app token is one too, by its id. */
  async isValid(tokenId: string): Promise<boolean> {
    if (tokenId === this.#config.appId) return true;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#valid.get(tokenId);
    if (known !== undefined && known.untilMs > nowMs) return known.isValid;
    const generation = this.#generation;
    const loader = new Loader(this.#store);
    const token = await loader.load(tokenId);
    const isValid = token?.kind === 'token' && (await this.#isUsable(token as Token, loader));
    if (this.#valid.size >= CACHE_SIZE) this.#valid.clear();
    if (generation === this.#generation) this.#valid.set(copied(tokenId), { isValid, untilMs: nowMs + CACHE_MS });
    return isValid;
  }

  /** Reads a link's token; undefined if it is not valid. */
  async viewer(tokenId: string): Promise<Viewer | undefined> {
    const loader = new Loader(this.#store);
    const token = await loader.load(tokenId);
    if (token?.kind !== 'token') return undefined;
    return this.#viewerOf(token as Token, loader).catch((error: unknown) => {
      if (error instanceof ServiceError) return undefined;
      throw error;
    });
  }

  async #isUsable(token: Token, loader: Loader): Promise<boolean> {
    try {
      await this.#viewerOf(token, loader);
      return true;
    } catch (error) {
      if (error instanceof ServiceError) return false;
      throw error;
    }
  }

  watch(tokenId: string, onEnd: () => void): () => void {
    return this.#open.watch(tokenId, onEnd);
  }

  /** The viewer of a token that is cached, or that of the app. */
  known(token: string): Viewer | undefined {
    const known = this.#known.get(hashToken(token));
    return known && known.untilMs > this.#clock.monotonicMs() ? known.viewer : this.#appToken(token);
  }

  /**
   * @param request what the token is used for; absent: nothing that a dock link may do
   * @param loader holds what the request has read since `generation`
   * @throws ServiceError 190 for a token that is unknown or revoked (467), expired (463), or of a dock link
   */
  async read(token: string, request?: LinkRequest, loader?: Loader, generation?: number): Promise<Viewer> {
    const viewer = await this.readAny(token, loader, generation);
    if (viewer.broadcastIds !== undefined) checkLink(viewer, request);
    return viewer;
  }

  /** Accepts tokens limited to the live feed too. @throws ServiceError 190 */
  async readAny(token: string, loader = new Loader(this.#store), generation = this.#generation): Promise<Viewer> {
    const known = this.known(token);
    if (known !== undefined) {
      this.#notExpired(known);
      return known;
    }
    const digest = hashToken(token);
    const nowMs = this.#clock.monotonicMs();
    const found = await this.find(digest, loader);
    if (!found) throw tokenInvalid(467, 'The token was not issued by this service.');
    const viewer = await this.#viewerOf(found, loader);
    this.#use.note(found.id);
    if (this.#known.size >= CACHE_SIZE) this.#known.clear();
    if (generation === this.#generation) this.#known.set(digest, { viewer, untilMs: nowMs + CACHE_MS });
    return viewer;
  }

  async find(hash: string, loader = new Loader(this.#store)): Promise<Token | undefined> {
    const id = await loader.resolveAlias(ALIAS.token(hash));
    const found = id === undefined ? undefined : await loader.load(id);
    return found?.kind === 'token' ? (found as Token) : undefined;
  }

  /** @throws ServiceError 190 */
  async #viewerOf(token: Token, loader: Loader): Promise<Viewer> {
    const ancestors = await ancestorsOf(token, (id) => loader.load(id));
    if (ancestors === undefined || isRevoked(token, ancestors)) {
      throw tokenInvalid(467, 'The token has been revoked, or a token that it was made from.');
    }
    const viewer = viewerOf(token, ancestors);
    this.#notExpired(viewer);
    return viewer;
  }

  /**
   * `appsecret_proof`: HMAC-SHA256 of the token, or of `token|appsecret_time`, under the app secret. The time is in seconds
   * since 1970. @throws ServiceError
   */
  checkProof(token: string, proof: string | undefined, time: string | undefined): void {
    const secret = this.#config.appSecret;
    if (secret === undefined) return;
    if (proof === undefined) {
      // The app token contains the secret, so a proof adds nothing.
      if (this.#config.requireAppSecretProof && this.#appToken(token) === undefined) throw proofInvalid();
      return;
    }
    const message = time === undefined ? token : `${token}|${time}`;
    const expected = createHmac('sha256', secret).update(message).digest('hex');
    if (!sameText(proof, expected) || !this.#isRecent(time)) throw proofInvalid();
  }

  #isRecent(time: string | undefined): boolean {
    if (time === undefined) return true;
    const aheadMs = Number(time) * 1000 - this.#clock.wallMs();
    return /^\d{1,12}$/.test(time) && Math.abs(aheadMs) <= API_LIMITS.proofMs;
  }

  #appToken(token: string): Viewer | undefined {
    const { appId, appSecret } = this.#config;
    if (appId === undefined || appSecret === undefined || !sameText(token, `${appId}|${appSecret}`)) return undefined;
    return { tokenId: appId, ownerId: appId, ownerKind: 'app', scopes: new Set(), issuedMs: 0, expiresMs: undefined };
  }

  #notExpired(viewer: Viewer): void {
    if (viewer.expiresMs !== undefined && viewer.expiresMs <= this.#clock.wallMs()) {
      throw tokenInvalid(463, `Session has expired on ${new Date(viewer.expiresMs).toUTCString()}.`);
    }
  }
}

/** Such a token belongs to the broadcast's owner: any other use of it would act with the owner's rights. */
function checkLink({ scopes }: Viewer, request: LinkRequest | undefined): void {
  if (request === undefined || !isOpenToLink(scopes, request)) {
    throw tokenInvalid(467, 'The token is valid only for what its link opens.');
  }
}

function viewerOf(token: Token, ancestors: readonly Token[]): Viewer {
  const [parent, ...above] = ancestors;
  const scopes = familyScopes(token, ancestors);
  return {
    ...(parent === undefined ? {} : { maker: viewerOf(parent, above) }),
    tokenId: token.id,
    ownerId: token.data.ownerId,
    ownerKind: token.data.ownerKind,
    scopes,
    issuedMs: token.createdMs,
    expiresMs: familyExpiry(token, ancestors),
    ...defined({ broadcastIds: broadcastsOfScopes(scopes) }),
  };
}

function sameText(left: string, right: string): boolean {
  const a = createHash('sha256').update(left).digest();
  const b = createHash('sha256').update(right).digest();
  return timingSafeEqual(a, b);
}

/** Access tokens: random, stored as SHA-256 only, found by the alias `token:<hash>`. */
import { createHash, createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TokenData } from '../../broadcast/documents.js';
import { ALIAS, type Clock, type ObjectStore, type Store, type StoredObject, TOPIC } from '../../ports/index.js';
import type { ApiConfig } from '../context/config.js';
import { Loader } from '../context/loader.js';
import type { Viewer } from '../context/viewer.js';
import { broadcastsOfScopes } from './broadcast-scope.js';
import { proofInvalid, tokenInvalid } from './faults.js';

const CACHE_SIZE = 10_000;
/** Bounds how long a process that lost the bus could honour a revoked token. */
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

export class TokenReader {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #config: ApiConfig;
  readonly #known = new Map<string, Known>();
  readonly #unsubscribe: () => void;
  #generation = 0;

  constructor(store: Pick<Store, 'objects' | 'bus'>, clock: Clock, config: ApiConfig) {
    this.#store = store.objects;
    this.#clock = clock;
    this.#config = config;
    // All of them: a token of a Page ends with the user's token that it was made from.
    this.#unsubscribe = store.bus.subscribe(TOPIC.tokens, () => {
      this.#generation += 1;
      this.#known.clear();
    });
  }

  close(): void {
    this.#unsubscribe();
  }

  /** Grows with each revocation. Take it before tokens are read, so that one revoked meanwhile is not kept. */
  get generation(): number {
    return this.#generation;
  }

  /** Whose it is, when that was read a moment ago. */
  known(token: string): Viewer | undefined {
    const known = this.#known.get(hashToken(token));
    return known && known.untilMs > this.#clock.monotonicMs() ? known.viewer : this.#appToken(token);
  }

  /**
   * @param loader what the request has read already, since `generation`
   * @throws ServiceError 190 for a token that is unknown, revoked (467), expired (463), or for the live feed only
   */
  async read(token: string, loader?: Loader, generation?: number): Promise<Viewer> {
    const viewer = await this.readAny(token, loader, generation);
    // Its owner is the broadcast's owner, so that any other use would be that owner's.
    if (broadcastsOfScopes(viewer.scopes) !== undefined) {
      throw tokenInvalid(467, 'The token opens the live feed of one broadcast only.');
    }
    return viewer;
  }

  /** Also tokens that are for the live feed only. @throws ServiceError 190 */
  async readAny(token: string, loader = new Loader(this.#store), generation = this.#generation): Promise<Viewer> {
    const digest = hashToken(token);
    const known = this.#known.get(digest);
    const nowMs = this.#clock.monotonicMs();
    if (known && known.untilMs > nowMs) {
      this.#notExpired(known.viewer);
      return known.viewer;
    }
    const appViewer = this.#appToken(token);
    if (appViewer) return appViewer;
    const found = await this.find(digest, loader);
    if (!found) throw tokenInvalid(467, 'The token is not one of this service.');
    if (await this.#isRevoked(found, loader)) throw tokenInvalid(467, 'The token has been revoked.');
    const viewer = viewerOf(found);
    this.#notExpired(viewer);
    if (this.#known.size >= CACHE_SIZE) this.#known.clear();
    if (generation === this.#generation) this.#known.set(digest, { viewer, untilMs: nowMs + CACHE_MS });
    return viewer;
  }

  async find(hash: string, loader = new Loader(this.#store)): Promise<StoredObject<TokenData> | undefined> {
    const id = await loader.resolveAlias(ALIAS.token(hash));
    const found = id === undefined ? undefined : await loader.load(id);
    return found?.kind === 'token' ? (found as StoredObject<TokenData>) : undefined;
  }

  async #isRevoked(token: StoredObject<TokenData>, loader: Loader): Promise<boolean> {
    if (token.data.revokedMs !== undefined) return true;
    const parentId = token.data.parentId;
    if (typeof parentId !== 'string') return false;
    const parent = (await loader.load(parentId)) as StoredObject<TokenData> | undefined;
    return parent === undefined || parent.data.revokedMs !== undefined;
  }

  /** `appsecret_proof`: HMAC-SHA256 of the token, or of `token|appsecret_time`, under the app secret. @throws ServiceError */
  checkProof(token: string, proof: string | undefined, time: string | undefined): void {
    const secret = this.#config.appSecret;
    if (secret === undefined) return;
    if (proof === undefined) {
      // The app token holds the secret itself.
      if (this.#config.requireAppSecretProof && this.#appToken(token) === undefined) throw proofInvalid();
      return;
    }
    const message = time === undefined ? token : `${token}|${time}`;
    const expected = createHmac('sha256', secret).update(message).digest('hex');
    if (!sameText(proof, expected)) throw proofInvalid();
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

export function viewerOf(token: StoredObject<TokenData>): Viewer {
  return {
    tokenId: token.id,
    ownerId: token.data.ownerId,
    ownerKind: token.data.ownerKind,
    scopes: new Set(token.data.scopes),
    issuedMs: token.createdMs,
    expiresMs: token.data.expiresMs,
  };
}

function sameText(left: string, right: string): boolean {
  const a = createHash('sha256').update(left).digest();
  const b = createHash('sha256').update(right).digest();
  return timingSafeEqual(a, b);
}

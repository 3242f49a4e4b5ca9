/**
 * Sessions of the dashboard, each known by the cookie of one browser. The store holds the hash of the cookie, and the token sealed
 * with the cookie itself: nothing in the store or in a backup signs in.
 */
import { randomBytes } from 'node:crypto';
import { defined, isRecord } from '../../lib/objects.js';
import { seal, unseal } from '../../lib/vault.js';
import type { SessionData } from '../../lifecycle/documents.js';
import {
  ConflictError,
  DERIVED_ID,
  edgeOf,
  type OpenSession,
  type SignedIn,
  type Store,
  type StoredObject,
  SYSTEM_EDGES,
  TOPIC,
  type Write,
} from '../../ports/index.js';
import { type AuditDeps, auditWrite } from './audit.js';
import { hashToken } from './tokens.js';

export const SESSION_LIMITS = {
  /** One working day without a request. */
  idleMs: 12 * 3_600_000,
  /** In total: then its user signs in again. */
  wholeMs: 7 * 24 * 3_600_000,
  /** A session in constant use is written this often. */
  renewMs: 10 * 60_000,
  /** Browsers of one owner. The next one ends the session that would expire first. */
  perOwner: 32,
} as const;

const COOKIE_BYTES = 32;
/** Expired sessions of any owner that one sign-in removes. */
const SWEPT = 100;

interface SessionStart extends SignedIn {
  /** The code of the sign-in link, if one was used. */
  readonly code?: string | undefined;
  /** Address of the client. */
  readonly from: string;
}

interface Found extends OpenSession {
  readonly stored: StoredObject<SessionData>;
}

type SessionDeps = AuditDeps & { readonly store: Pick<Store, 'objects' | 'bus'> };

const idOf = (cookie: string): string => DERIVED_ID.session(hashToken(cookie));
const listOf = (ownerId: string) => edgeOf(ownerId, 'sessions');

export class Sessions {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  /** Begins a session with a cookie of its own. */
  async begin(start: SessionStart): Promise<OpenSession> {
    const { token, proof, tokenId, ownerId, code, from } = start;
    const { store, clock } = this.#deps;
    const nowMs = clock.wallMs();
    await this.#makeRoom(ownerId, nowMs);
    const cookie = randomBytes(COOKIE_BYTES).toString('base64url');
    const endsMs = Math.min(nowMs + SESSION_LIMITS.wholeMs, start.expiresMs ?? Number.POSITIVE_INFINITY);
    const expiresMs = Math.min(nowMs + SESSION_LIMITS.idleMs, endsMs);
    const data: SessionData = {
      ownerId,
      tokenId,
      sealed: seal(Buffer.from(cookie), 'session', defined({ token, proof })),
      expiresMs,
      endsMs,
      ...(code === undefined ? {} : { codeHash: hashToken(code) }),
    };
    const id = idOf(cookie);
    await store.objects.commit([
      { op: 'put', object: { id, kind: 'session', createdMs: nowMs, updatedMs: nowMs, data }, expect: 0 },
      ...listed(id, data),
      auditWrite(this.#deps, { action: 'signed in to the dashboard', who: tokenId, from, owner: ownerId }),
    ]);
    return { cookie, token, ...defined({ proof }), ownerId, tokenId, expiresMs };
  }

  /** `undefined`: no such session, or it has ended or expired. */
  async find(cookie: string): Promise<OpenSession | undefined> {
    return this.#find(cookie);
  }

  /** The session, if the sign-in link with this code began it: the link may be opened again in the same browser. */
  async ofCode(cookie: string, code: string): Promise<OpenSession | undefined> {
    const found = await this.#find(cookie);
    return found?.stored.data.codeHash === hashToken(code) ? found : undefined;
  }

  async #find(cookie: string): Promise<Found | undefined> {
    const { store, clock } = this.#deps;
    const stored = await store.objects.get<SessionData>(idOf(cookie));
    if (stored?.kind !== 'session') return undefined;
    const { sealed, expiresMs, ownerId, tokenId } = stored.data;
    if (expiresMs <= clock.wallMs()) return undefined;
    const opened = unseal([Buffer.from(cookie)], 'session', sealed);
    if (!isRecord(opened) || typeof opened.token !== 'string') return undefined;
    const proof = typeof opened.proof === 'string' ? { proof: opened.proof } : {};
    return { cookie, token: opened.token, ...proof, ownerId, tokenId, expiresMs, stored };
  }

  /** Moves the expiry of a session in use. Returns the new one; `undefined`: it stays, or another request has moved it. */
  async renew(cookie: string): Promise<number | undefined> {
    const { store, clock } = this.#deps;
    const stored = (await this.#find(cookie))?.stored;
    if (stored === undefined) return undefined;
    const nowMs = clock.wallMs();
    const expiresMs = Math.min(nowMs + SESSION_LIMITS.idleMs, stored.data.endsMs);
    if (expiresMs - stored.data.expiresMs < SESSION_LIMITS.renewMs) return undefined;
    const { id, kind, createdMs, version } = stored;
    const data = { ...stored.data, expiresMs };
    try {
      await store.objects.commit([
        { op: 'put', object: { id, kind, createdMs, updatedMs: nowMs, data }, expect: version },
        ...listed(id, data),
      ]);
      return expiresMs;
    } catch (error) {
      // Ended or renewed meanwhile.
      if (error instanceof ConflictError) return undefined;
      throw error;
    }
  }

  async end(cookie: string, from: string): Promise<void> {
    const stored = (await this.#find(cookie))?.stored;
    if (stored === undefined) return;
    const { ownerId, tokenId } = stored.data;
    await this.#deps.store.objects.commit([
      ...removed(stored.id, ownerId),
      auditWrite(this.#deps, { action: 'signed out of the dashboard', who: tokenId, from, owner: ownerId }),
    ]);
    this.#announce();
  }

  /** Ends all sessions of the owner, whichever of its tokens began them. Returns their number. */
  async endAll({ ownerId, tokenId }: OpenSession, from: string): Promise<number> {
    const { store } = this.#deps;
    const { entries } = await store.objects.page(listOf(ownerId), { limit: 10 * SESSION_LIMITS.perOwner });
    const action = 'signed out of the dashboard everywhere';
    await store.objects.commit([
      ...entries.flatMap(({ member }) => removed(member, ownerId)),
      auditWrite(this.#deps, { action, who: tokenId, from, owner: ownerId }),
    ]);
    this.#announce();
    return entries.length;
  }

  /** Feeds of the sessions close at once, in every process. */
  #announce(): void {
    this.#deps.store.bus.publish(TOPIC.tokens, { sessions: true });
  }

  async #makeRoom(ownerId: string, nowMs: number): Promise<void> {
    const { objects } = this.#deps.store;
    const [own, expired] = await objects.pages([
      { name: listOf(ownerId), query: { limit: 10 * SESSION_LIMITS.perOwner, ascending: true } },
      { name: SYSTEM_EDGES.sessions, query: { limit: SWEPT, ascending: true, untilScore: nowMs } },
    ]);
    const ended = new Map((expired?.entries ?? []).map(({ member, value }) => [member, String(value)]));
    const left = (own?.entries ?? []).filter(({ member }) => !ended.has(member));
    const tooMany = left.slice(0, Math.max(0, left.length + 1 - SESSION_LIMITS.perOwner));
    for (const { member } of tooMany) ended.set(member, ownerId);
    if (ended.size === 0) return;
    await objects.commit([...ended].flatMap(([id, ownerOf]) => removed(id, ownerOf)));
    if (tooMany.length > 0) this.#announce();
  }
}

function listed(member: string, { ownerId, expiresMs: score }: SessionData): readonly Write[] {
  return [
    { op: 'edgeAdd', ...listOf(ownerId), member, score },
    { op: 'edgeAdd', ...SYSTEM_EDGES.sessions, member, score, value: ownerId },
  ];
}

function removed(id: string, ownerId: string): readonly Write[] {
  return [
    { op: 'delete', id },
    { op: 'edgeRemove', ...listOf(ownerId), member: id },
    { op: 'edgeRemove', ...SYSTEM_EDGES.sessions, member: id },
  ];
}

/**
 * Access to the live feed: the rule of `GET /{live-video-id}/errors`, and tokens issued for one broadcast. The
 * dashboard declares the part it uses as its own interface.
 */

import { defined } from '../../lib/objects.js';
import type { LiveVideoData } from '../../lifecycle/documents.js';
import { type EdgeName, edgeOf, type StoredObject, type TokenWatch } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import type { ApiDeps } from '../context/config.js';
import { Loader } from '../context/loader.js';
import type { Viewer } from '../context/viewer.js';
import { Access, readsErrorsOnly } from './access.js';
import { broadcastScope, isOnAirScope, onAirScope, reportScope, setUpScope, WALL_SCOPE } from './broadcast-scope.js';
import type { Refusals } from './refusals.js';
import { endReportLink, type ReportLinkRow, reportLinks, reportLinksOf } from './report-links.js';
import { PUBLISH, READ_ERRORS, READ_MANAGED, type Rule } from './rules.js';
import { OPERATOR_SCOPES } from './scopes.js';
import { type IssuedToken, issueToken, revokeToken } from './token-issue.js';
import { TokenReader } from './tokens.js';

type LiveVideo = StoredObject<LiveVideoData>;

/** A link serves one operator for one day's broadcast. */
const LINK_LIFETIME_MS = 24 * 3_600_000;
/** A report is talked over for some days. */
const REPORT_LINK_MS = 7 * 24 * 3_600_000;
/** A screen in a control room is left alone. */
const WALL_LINK_MS = 30 * 24 * 3_600_000;
const OWNERS_MAX = 100;
/** Page size when links are revoked or counted. */
const LINKS_MAX = 100;
/** Valid links per broadcast, to its dock and to its report, or per owner to the wall: enough for a crew. Each is a token that the store keeps. */
const LINKS_OF_KIND = 50;
/** Links per owner and day over all its broadcasts and tokens, including those revoked since. */
const LINKS_PER_OWNER = 100;

async function may(access: Access, rule: Rule, live: LiveVideo): Promise<boolean> {
  const isForOperators = rule.operators === true && access.readsAllErrors;
  if (!isForOperators && !(await access.maySee(live))) return false;
  try {
    await access.check(rule, live);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

const setUpScopes = ({ id, data: { inputStreamIds = [] } }: LiveVideo): readonly string[] => [
  setUpScope(id),
  ...(inputStreamIds.length > 1 ? inputStreamIds.map(onAirScope) : []),
];

const never = async (): Promise<boolean> => false;
const linksOfOwner = (ownerId: string) => edgeOf(ownerId, 'dock_links');
const linksOf = (liveVideoId: string) => edgeOf(liveVideoId, 'dock_tokens');
const wallLinksOf = (ownerId: string) => edgeOf(ownerId, 'wall_tokens');

export interface LinkOptions {
  /** Id of the requesting token; absent when the server issues the link. */
  readonly makerId?: string;
  /** Address of the client. */
  readonly from?: string;
  /** The link also opens `GET /{live-video-id}/obs_profile`, hence the stream key, and puts one of two input streams on air. */
  readonly withEncoderSetup?: boolean;
}

interface LinkKind {
  readonly ownerId: string;
  readonly links: EdgeName;
  readonly scopes: readonly string[];
  readonly lifeMs: number;
  readonly label: string;
}

/** Whom a token signs in. */
export interface Identity {
  readonly tokenId: string;
  readonly ownerId: string;
  /** Milliseconds since 1970. */
  readonly expiresMs?: number;
}

export interface IssuedLink extends IssuedToken {
  readonly expiresMs: number;
}

type FeedAccessDeps = Pick<ApiDeps, 'store' | 'clock' | 'ids' | 'config'> & {
  /** Tokens that are refused get a line in the audit log. */
  readonly refusals?: Pick<Refusals, 'note'>;
};

export class FeedAccess implements TokenWatch {
  readonly #deps: FeedAccessDeps;
  readonly #tokens: TokenReader;
  #issuing: Promise<unknown> = Promise.resolve();

  constructor(deps: FeedAccessDeps) {
    this.#deps = deps;
    this.#tokens = new TokenReader(deps.store, deps.clock, deps.config);
  }

  close(): void {
    this.#tokens.close();
  }

  /** `undefined` for a token that is unknown, expired or revoked. `from`: address of the client. */
  async authenticate(token: string, from?: string) {
    const viewer = await this.#read(token, from);
    if (viewer === undefined) return undefined;
    const expires = viewer.expiresMs === undefined ? {} : { expiresMs: viewer.expiresMs };
    const { broadcastIds, maker, tokenId, ownerId } = viewer;
    if (viewer.scopes.has(WALL_SCOPE)) {
      if (maker === undefined) return undefined;
      const reads = await this.#readsOf(maker);
      return { tokenId, ownerId, ...expires, ...reads, isWall: true as const, mayWatch: never, mayShare: never };
    }
    if (broadcastIds !== undefined) {
      const mayRead = async (live: LiveVideo): Promise<boolean> =>
        broadcastIds.includes(live.id) && this.#isMakersToRead(viewer, live);
      return {
        tokenId: viewer.tokenId,
        ownerId: viewer.ownerId,
        ...expires,
        ownerIds: [],
        broadcastIds,
        mayRead,
        mayPicture: never,
        mayWatch: never,
        mayShare: never,
        ...(broadcastIds.some((id) => viewer.scopes.has(setUpScope(id))) ? { maySetUpEncoder: true as const } : {}),
        ...([...viewer.scopes].some(isOnAirScope) ? { mayPutOnAir: true as const } : {}),
      };
    }
    const access = this.#accessOf(viewer);
    return {
      tokenId: viewer.tokenId,
      ownerId: viewer.ownerId,
      ...expires,
      isOperator: access.isOperator,
      ...(await this.#readsOf(viewer)),
      mayWatch: (live: LiveVideo) => may(access, READ_MANAGED, live),
      mayShare: (live: LiveVideo) => may(access, PUBLISH, live),
    };
  }

  /**
   * Whose session a token begins: not that of a link, which opens nothing else. `proof`: the server requires the app secret proof of
   * the token, or this one is wrong.
   */
  async identify(token: string, proof: string | undefined, from: string): Promise<Identity | 'refused' | 'proof'> {
    const viewer = await this.#read(token, from);
    if (viewer === undefined || viewer.broadcastIds !== undefined) return 'refused';
    const { tokenId, ownerId, expiresMs } = viewer;
    try {
      this.#tokens.checkProof(token, proof, undefined);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#deps.refusals?.note(error, { address: from, viewer });
      return 'proof';
    }
    return { tokenId, ownerId, ...defined({ expiresMs }) };
  }

  async #readsOf(viewer: Viewer) {
    const access = this.#accessOf(viewer);
    return {
      readsAll: access.readsAllErrors,
      ownerIds: readsErrorsOnly(viewer) ? [] : await this.#ownersOf(viewer),
      mayRead: (live: LiveVideo) => may(access, READ_ERRORS, live),
      mayPicture: async (live: LiveVideo) =>
        (await may(access, READ_MANAGED, live)) ||
        (access.readsAllErrors && (await this.#accessOf(undefined).maySee(live))),
    };
  }

  #accessOf(viewer: Viewer | undefined): Access {
    return new Access(viewer, new Loader(this.#deps.store.objects), this.#deps.clock.wallMs());
  }

  /** Metrics name no owner, but show the load of the whole server. */
  async mayReadMetrics(token: string, from?: string): Promise<boolean> {
    const scopes = (await this.#read(token, from))?.scopes;
    return scopes !== undefined && OPERATOR_SCOPES.some((scope) => scopes.has(scope));
  }

  isValid(tokenId: string): Promise<boolean> {
    return this.#tokens.isValid(tokenId);
  }

  watch(tokenId: string, onEnd: () => void): () => void {
    return this.#tokens.watch(tokenId, onEnd);
  }

  async #read(token: string, from: string | undefined): Promise<Viewer | undefined> {
    try {
      return await this.#tokens.readAny(token);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#deps.refusals?.note(error, { address: from, viewer: undefined });
      return undefined;
    }
  }

  /** The token's owner, and for a user also the Pages and groups on which the user has a role. */
  async #ownersOf(viewer: Viewer): Promise<readonly string[]> {
    if (viewer.ownerKind === 'app' || viewer.ownerKind === 'operator') return [];
    if (viewer.ownerKind !== 'user') return [viewer.ownerId];
    const accounts = await this.#deps.store.objects.page(edgeOf(viewer.ownerId, 'accounts'), { limit: OWNERS_MAX - 1 });
    return [viewer.ownerId, ...accounts.entries.map((entry) => entry.member)];
  }

  /**
   * Issues a token for the dock page that can read only this broadcast, valid for 24 hours.
   * @throws ServiceError 4 when the limit of links is reached
   */
  issueLink(live: LiveVideo, options: LinkOptions = {}): Promise<IssuedLink> {
    const { withEncoderSetup = false } = options;
    return this.#issueInTurn(options, {
      ownerId: live.data.ownerId,
      links: linksOf(live.id),
      scopes: [broadcastScope(live.id), ...(withEncoderSetup ? setUpScopes(live) : [])],
      lifeMs: LINK_LIFETIME_MS,
      label: withEncoderSetup ? 'dock link with encoder set-up' : 'dock link',
    });
  }

  /** Issues a token that opens only the report on this broadcast, valid for a week. @throws ServiceError as `issueLink` */
  issueReportLink(live: LiveVideo, options: LinkOptions): Promise<IssuedLink> {
    const { ownerId } = live.data;
    const links = reportLinksOf(live.id);
    const scopes = [reportScope(live.id)];
    return this.#issueInTurn(options, { ownerId, links, scopes, lifeMs: REPORT_LINK_MS, label: 'report link' });
  }

  /** Issues a token that opens only the wall of the broadcasts that its maker reads, valid for 30 days. @throws ServiceError as `issueLink` */
  issueWallLink(ownerId: string, options: LinkOptions & { readonly makerId: string }): Promise<IssuedLink> {
    const links = wallLinksOf(ownerId);
    return this.#issueInTurn(options, {
      ownerId,
      links,
      scopes: [WALL_SCOPE],
      lifeMs: WALL_LINK_MS,
      label: 'wall link',
    });
  }

  /** One after the other, so that concurrent requests are all counted. */
  #issueInTurn(options: LinkOptions, kind: LinkKind): Promise<IssuedLink> {
    const issued = this.#issuing.then(() => this.#issueLink(options, kind));
    // Without the value: it would keep the token of the last link in memory.
    this.#issuing = issued.then(
      () => undefined,
      () => undefined,
    );
    return issued;
  }

  async #issueLink(
    { makerId, from }: LinkOptions,
    { ownerId, links, scopes, lifeMs, label }: LinkKind,
  ): Promise<IssuedLink> {
    const { store, clock } = this.#deps;
    await this.#checkRoom(links, LINKS_OF_KIND, 'There are too many links of this kind; revoke them first.');
    if (makerId !== undefined) {
      await this.#checkRoom(linksOfOwner(ownerId), LINKS_PER_OWNER, 'This owner has made too many links today.');
    }
    const nowMs = clock.wallMs();
    const maker = makerId === undefined ? undefined : await this.#tokens.viewer(makerId);
    const expiresMs = Math.min(nowMs + lifeMs, maker?.expiresMs ?? Number.POSITIVE_INFINITY);
    const wanted = { ownerId, scopes, expiresMs, label, ...defined({ from, parentId: makerId }) };
    const issued = await issueToken(this.#deps, wanted);
    const member = issued.id;
    await store.objects.commit([{ op: 'edgeAdd', ...links, member, score: expiresMs }]);
    if (makerId !== undefined) {
      const dayMs = nowMs + LINK_LIFETIME_MS;
      await store.objects.commit([{ op: 'edgeAdd', ...linksOfOwner(ownerId), member, score: dayMs }]);
    }
    return { ...issued, expiresMs };
  }

  /** Whether the token of a link opens the report on this broadcast. */
  async opensReport(token: string, liveVideoId: string, from?: string): Promise<boolean> {
    const viewer = await this.#read(token, from);
    if (viewer?.scopes.has(reportScope(liveVideoId)) !== true) return false;
    const live = await this.#deps.store.objects.get<LiveVideoData>(liveVideoId);
    return live?.kind === 'live_video' && this.#isMakersToRead(viewer, live);
  }

  /** Whether a link may open the broadcast: it is its owner's, and the token that made the link may read it. */
  async #isMakersToRead({ ownerId, maker }: Viewer, live: LiveVideo): Promise<boolean> {
    return live.data.ownerId === ownerId && (maker === undefined || may(this.#accessOf(maker), READ_ERRORS, live));
  }

  reportLinks(liveVideoId: string): Promise<readonly ReportLinkRow[]> {
    return reportLinks(this.#deps, liveVideoId);
  }

  endReportLink(liveVideoId: string, linkId: string, byTokenId: string, from: string): Promise<boolean> {
    return endReportLink(this.#deps, { liveVideoId, linkId }, byTokenId, from);
  }

  async #checkRoom(links: EdgeName, max: number, message: string): Promise<void> {
    const { store, clock } = this.#deps;
    const nowMs = clock.wallMs();
    const [working, expired] = await Promise.all([
      store.objects.page(links, { limit: max, sinceScore: nowMs }),
      store.objects.page(links, { limit: LINKS_MAX, untilScore: nowMs - 1 }),
    ]);
    if (expired.entries.length > 0) {
      await store.objects.commit(expired.entries.map(({ member }) => ({ op: 'edgeRemove', ...links, member })));
    }
    if (working.entries.length >= max) {
      throw new ServiceError({ code: 4, type: 'OAuthException', status: 429, message: `(#4) ${message}` });
    }
  }

  /** Revokes all valid links to the dock of this broadcast. `byTokenId`: of the requesting token. Returns their number. */
  revokeLinks(liveVideoId: string, byTokenId: string, from?: string): Promise<number> {
    return this.#revokeAll(linksOf(liveVideoId), byTokenId, from);
  }

  /** Revokes all valid links of the owner to the wall. Returns their number. */
  revokeWallLinks(ownerId: string, byTokenId: string, from?: string): Promise<number> {
    return this.#revokeAll(wallLinksOf(ownerId), byTokenId, from);
  }

  async #revokeAll(of: EdgeName, byTokenId: string, from: string | undefined): Promise<number> {
    const { store, clock } = this.#deps;
    let revoked = 0;
    for (;;) {
      const links = await store.objects.page(of, { limit: LINKS_MAX, sinceScore: clock.wallMs() });
      if (links.entries.length === 0) return revoked;
      for (const { member } of links.entries) {
        await revokeToken(this.#deps, member, byTokenId, from);
        await store.objects.commit([{ op: 'edgeRemove', ...of, member }]);
        revoked++;
      }
    }
  }
}

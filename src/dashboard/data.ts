/**
 * Data for the pages that the graph does not offer, below `/dashboard/data/`: all broadcasts of all owners, observed values
 * over time, stills, dock links, and copyright matches for the operator. The token is sent in the Authorization header; errors are answered as `{error: {message}}`.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { isCode } from '../lib/errors.js';
import {
  type EdgeName,
  type Log,
  type Store,
  StoreUnavailableError,
  type StreamHealth,
  VOLATILE,
} from '../ports/index.js';
import { ServiceError } from '../spec/service-errors.js';
import { type Answer, type Asker, notAllowed, paramsOf, refused, send } from './answer.js';
import type { HealthHistory } from './history/history.js';
import type { ServerHistory } from './history/server-history.js';
import { answerMatches, isMatchPath, type MatchReview } from './matches.js';
import { countBroadcasts, olderBroadcasts } from './older.js';
import { pathOf } from './pages.js';
import type { FreshStills } from './stills.js';
import { BROADCAST_FILTERS } from './view/broadcast-group.js';
import { SERIES_COLUMNS } from './view/health-series.js';
import { FEED_LIMITS, HISTORY_LIMITS } from './view/limits.js';
import { SERVER_COLUMNS } from './view/server-series.js';
import type { ServerState } from './view/server-state.js';
import type { AddressOf, Authenticate, FeedViewer, LiveVideo } from './view/viewer.js';
import { healthView } from './view/views.js';

/** Read-only tokens for the dock page and the report of one broadcast, and for the wall. */
export interface Links {
  issueLink(
    live: LiveVideo,
    options: { readonly makerId: string; readonly from: string; readonly withEncoderSetup: boolean },
  ): Promise<{ readonly token: string; readonly expiresMs: number }>;
  /** Resolves with the number of links revoked. */
  revokeLinks(liveVideoId: string, byTokenId: string, from: string): Promise<number>;
  issueReportLink(
    live: LiveVideo,
    options: { readonly makerId: string; readonly from: string },
  ): Promise<{ readonly token: string; readonly expiresMs: number }>;
  issueWallLink(
    ownerId: string,
    options: { readonly makerId: string; readonly from: string },
  ): Promise<{ readonly token: string; readonly expiresMs: number }>;
  /** Resolves with the number of links revoked. */
  revokeWallLinks(ownerId: string, byTokenId: string, from: string): Promise<number>;
  reportLinks(liveVideoId: string): Promise<readonly object[]>;
  /** False: the broadcast has no such link. */
  endReportLink(liveVideoId: string, linkId: string, byTokenId: string, from: string): Promise<boolean>;
}

export interface DataDeps extends OverviewDeps {
  readonly store: Store;
  readonly authenticate: Authenticate;
  readonly addressOf: AddressOf;
  readonly reconnectGraceMs: number;
  readonly history: Pick<HealthHistory, 'read'>;
  readonly stills: Pick<FreshStills, 'read'>;
  readonly links: Links;
  readonly matches: MatchReview;
  readonly log: Log;
}

const LIST = '/dashboard/data/broadcasts';
const COUNTS = '/dashboard/data/broadcast-counts';
/** Capabilities that the pages offer to this token. */
const VIEWER = '/dashboard/data/viewer';
const WALL_LINKS = '/dashboard/data/wall-links';
const SEARCH_MAX = 200;
const PATH = /^\/dashboard\/data\/(history|stills|dock-links|report-links)\/(\d{1,20})$/;

export function createData(deps: DataDeps): RequestListener {
  return (request, response) => {
    // No endpoint here reads a body; an unread one would block the connection's next request.
    request.resume();
    void answer(deps, request).then(
      (made) => send(response, made),
      (error: unknown) => {
        if (error instanceof ServiceError) send(response, refused(error.shape.status, error.shape.message));
        else if (error instanceof StoreUnavailableError)
          send(response, refused(503, 'The store is unavailable. Try again later.'));
        else {
          deps.log.error({ error }, 'dashboard request failed');
          send(response, refused(500, 'Internal server error.'));
        }
      },
    );
  };
}

async function answer(deps: DataDeps, request: IncomingMessage): Promise<Answer> {
  const path = pathOf(request);
  const [, what, id] = PATH.exec(path) ?? [];
  const isOfMatches = isMatchPath(path);
  const isOther = [LIST, COUNTS, VIEWER, WALL_LINKS].includes(path) || isOfMatches || isOverviewPath(path);
  if (!isOther && (what === undefined || id === undefined)) return refused(404, 'Not found.');
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
  const from = deps.addressOf(request);
  const viewer = token === undefined ? undefined : await deps.authenticate(token, from);
  if (viewer === undefined) return refused(401, 'The token is missing, unknown, expired or revoked.');
  if (viewer.isWall === true && !(path === VIEWER || path === RUNNING || what === 'stills'))
    return refused(403, 'The token is valid only for what its link opens.');
  if (path === WALL_LINKS) return wallLinks(deps, { viewer, from }, request.method ?? '');
  if (path === VIEWER)
    return { status: 200, body: { operator: viewer.isOperator === true, overview: viewer.readsAll === true } };
  if (isOverviewPath(path)) return answerOverview(deps, viewer, path, request.method);
  if (isOfMatches) return answerMatches(deps.matches, { viewer, from }, request);
  if (what === undefined || id === undefined) return list(deps, viewer, path, request);
  const live = await deps.store.objects.get(id);
  if (live?.kind !== 'live_video' || !(await viewer.mayRead(live as LiveVideo))) {
    return refused(404, `No broadcast ${id}.`);
  }
  const method = request.method ?? '';
  if (what === 'history' && method === 'GET') return history(deps, id);
  if (what === 'stills' && method === 'GET') return still(deps, viewer, live as LiveVideo);
  if (what === 'report-links') return linksToReport(deps, { viewer, from }, live as LiveVideo, request);
  if (what === 'dock-links') return dockLinks(deps, { viewer, from }, live as LiveVideo, request);
  return notAllowed(method);
}

async function list(
  deps: DataDeps,
  viewer: FeedViewer,
  path: string,
  { method, url = '' }: IncomingMessage,
): Promise<Answer> {
  if (method !== 'GET') return notAllowed(method);
  const params = paramsOf(url);
  const search = (params.get('search') ?? '').slice(0, SEARCH_MAX);
  if (path === COUNTS) return { status: 200, body: await countBroadcasts(deps, viewer, search) };
  const filter = BROADCAST_FILTERS.find((each) => each === (params.get('filter') ?? 'all'));
  if (filter === undefined) return refused(400, 'Invalid filter.');
  const after = params.get('after') ?? undefined;
  try {
    return { status: 200, body: await olderBroadcasts(deps, viewer, { after, filter, search }) };
  } catch (error) {
    if (isCode(error, 'STORE_INVALID_CURSOR')) return refused(400, 'Invalid cursor.');
    throw error;
  }
}

async function history(deps: DataDeps, id: string): Promise<Answer> {
  const [{ step, points }, last] = await Promise.all([
    deps.history.read(id),
    deps.store.volatile.get(VOLATILE.lastStream(id)) as Promise<StreamHealth | undefined>,
  ]);
  const series = { columns: SERIES_COLUMNS, step_ms: step * HISTORY_LIMITS.sampleMs, points };
  return { status: 200, body: { ...series, ...(last === undefined ? {} : { last_stream: healthView(last) }) } };
}

/** 204: there is none now, or none for this token. A page asks again. */
async function still(deps: DataDeps, viewer: FeedViewer, live: LiveVideo): Promise<Answer> {
  const found = (await viewer.mayPicture(live)) ? await deps.stills.read(live.id) : undefined;
  return found === undefined ? { status: 204, body: undefined } : { status: 200, body: found.jpeg, ageMs: found.ageMs };
}

/** Anyone with a link can read the report until it expires or is ended (`DELETE …?link=ID`), and nothing else. */
async function linksToReport(
  { links }: DataDeps,
  { viewer, from }: Asker,
  live: LiveVideo,
  { method = '', url = '' }: IncomingMessage,
): Promise<Answer> {
  if (!(await viewer.mayShare(live))) return refused(403, 'The token does not permit changing this broadcast.');
  if (method === 'GET') return { status: 200, body: { links: await links.reportLinks(live.id) } };
  if (method === 'POST') {
    const { token, expiresMs } = await links.issueReportLink(live, { makerId: viewer.tokenId, from });
    return { status: 201, body: { path: `/report/${live.id}/${token}`, expires: new Date(expiresMs).toISOString() } };
  }
  if (method !== 'DELETE') return notAllowed(method);
  const isEnded = await links.endReportLink(live.id, paramsOf(url).get('link') ?? '', viewer.tokenId, from);
  return isEnded ? { status: 200, body: { ended: true } } : refused(404, 'This broadcast has no such link.');
}

/** `POST …?encoder_setup=true`: the link opens the OBS profile of the broadcast too, which holds the stream key. */
async function dockLinks(
  deps: DataDeps,
  { viewer, from }: Asker,
  live: LiveVideo,
  { method = '', url = '' }: IncomingMessage,
): Promise<Answer> {
  if (!(await viewer.mayShare(live))) return refused(403, 'The token does not permit changing this broadcast.');
  if (method === 'POST') {
    const withEncoderSetup = paramsOf(url).get('encoder_setup') === 'true';
    const options = { makerId: viewer.tokenId, from, withEncoderSetup };
    const { token, expiresMs } = await deps.links.issueLink(live, options);
    const body = { path: `/dock/#${live.id}.${token}`, expires: new Date(expiresMs).toISOString() };
    return { status: 201, body };
  }
  if (method === 'DELETE') {
    return { status: 200, body: { revoked: await deps.links.revokeLinks(live.id, viewer.tokenId, from) } };
  }
  return notAllowed(method);
}

/** Anyone with such a link sees what the token that made it reads, until it expires or all of the owner are ended. */
async function wallLinks({ links }: DataDeps, { viewer, from }: Asker, method: string): Promise<Answer> {
  const { ownerId, tokenId } = viewer;
  // A link makes no further links.
  if (viewer.broadcastIds !== undefined) return refused(403, 'The token is valid only for what its link opens.');
  if (method === 'POST') {
    const { token, expiresMs } = await links.issueWallLink(ownerId, { makerId: tokenId, from });
    return { status: 201, body: { path: `/dashboard/wall/#${token}`, expires: new Date(expiresMs).toISOString() } };
  }
  if (method !== 'DELETE') return notAllowed(method);
  return { status: 200, body: { revoked: await links.revokeWallLinks(ownerId, tokenId, from) } };
}

const RUNNING = '/dashboard/data/running';
const SERVER = '/dashboard/data/server';
const SERVER_HISTORY = '/dashboard/data/server-history';

interface OverviewDeps {
  readonly store: Store;
  /** The edge of all live videos whose stream is being received, by any process. */
  readonly running: EdgeName;
  readonly serverState: () => Promise<ServerState>;
  readonly serverHistory: Pick<ServerHistory, 'read'>;
}

const isOverviewPath = (path: string): boolean => [RUNNING, SERVER, SERVER_HISTORY].includes(path);

/** Data of the operator's overview: the running broadcasts of the whole server, and its own state, now and over a day. */
async function answerOverview(
  { store, running, serverState, serverHistory }: OverviewDeps,
  viewer: FeedViewer,
  path: string,
  method: string | undefined,
): Promise<Answer> {
  if (method !== 'GET') return notAllowed(method);
  if (viewer.readsAll !== true) return refused(403, 'Requires a token with the scope operator_read.');
  if (path === SERVER) return { status: 200, body: await serverState() };
  if (path === SERVER_HISTORY)
    return { status: 200, body: { columns: SERVER_COLUMNS, points: await serverHistory.read() } };
  // The feed takes as many in one subscription.
  const { entries, hasNext } = await store.objects.page(running, { limit: FEED_LIMITS.broadcastsNamed });
  return { status: 200, body: { broadcasts: entries.map(({ member }) => member), more: hasNext } };
}

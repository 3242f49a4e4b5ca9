/** Routes of the HTTP port: the interface, the dashboard with its feed, playback, files, `/metrics`. */
import { createHash, createHmac } from 'node:crypto';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { FeedAccess } from '../../api/access/feed-access.js';
import { OPERATOR_READ, SCOPES } from '../../api/access/scopes.js';
import { Sessions } from '../../api/access/sessions.js';
import { SIGN_IN, SignInCodes } from '../../api/access/sign-in-codes.js';
import { issueToken } from '../../api/access/token-issue.js';
import type { ApiConfig } from '../../api/context/config.js';
import { createApi } from '../../api/create.js';
import { BodyMemory } from '../../api/http/body-budget.js';
import type { PublicPorts } from '../../config/listeners.js';
import { mayBeProxied } from '../../config/public-urls.js';
import { isLoopback } from '../../config/settings/networks.js';
import type { Config } from '../../config/settings/schema.js';
import { createDashboard, type DashboardDeps } from '../../dashboard/dashboard.js';
import { LiveFeed } from '../../dashboard/feed/feed.js';
import { ServerHistory } from '../../dashboard/history/server-history.js';
import type { SignIn } from '../../dashboard/sessions.js';
import { FreshStills } from '../../dashboard/stills.js';
import { SERIES_COLUMNS, type Series } from '../../dashboard/view/health-series.js';
import { originOf } from '../../lib/client-address.js';
import { defined } from '../../lib/objects.js';
import type { Playback } from '../../playback/playback.js';
import { refuseUpgrade } from '../../playback/viewers/sinks.js';
import { type Store, SYSTEM_EDGES } from '../../ports/index.js';
import { htmlReport } from '../../report/html.js';
import type { ErrorJournal } from '../../store/journal/error-journal.js';
import { decideMatch, listMatches, type MatchRow } from '../admin/matches.js';
import { reportOnId } from '../admin/report-sources.js';
import type { HttpListener } from '../http/listener.js';
import { readiness } from '../http/readiness.js';
import { traceRequests } from '../http/traced-requests.js';
import { createMetrics } from '../metrics/metrics.js';
import { ownMetrics, PROCESS_METRICS, read, type Values } from '../metrics/process-metrics.js';
import { JOURNAL_METRICS, WEB_METRICS } from '../metrics/rows.js';
import { sum, WorkerMetrics } from '../metrics/values.js';
import type { Calls } from '../rpc/calls.js';
import type { RoleLink } from '../rpc/link.js';
import { samplesFolder, takeClip } from '../rpc/media.js';
import type { Cleanup } from '../services/cleanup.js';
import { forwardSettings } from '../services/forward-settings.js';
import type { Library } from '../services/library.js';
import type { BroadcastRequests, Shared } from '../services/shared.js';
import { addressOf } from '../services/shared.js';
import type { Storage } from '../services/storage.js';
import type { Closers } from '../system/closers.js';
import type { ProcessLog } from '../system/log.js';
import { certificateExpiryMs, serverState } from './server-state.js';

export interface HttpParts extends BroadcastRequests {
  readonly shared: Shared;
  readonly closers: Closers;
  readonly log: ProcessLog;
  readonly link: RoleLink;
  readonly calls: Calls;
  readonly isTraced: boolean;
  readonly http: HttpListener;
  readonly certificatePath: string;
  readonly ports: PublicPorts;
  readonly storage: Storage;
  readonly library: Library;
  readonly retention: Cleanup['retention'];
  readonly playback: Playback;
  readonly history: { read(liveVideoId: string): Promise<Series> };
  /** Resolves when the store has the records that the encoder was sent. */
  readonly recordsStored: (broadcastId: string) => Promise<unknown> | undefined;
  readonly journal: ErrorJournal;
}

/** Parts that the HTTP port and the quickstart share. */
export interface WebAccess {
  readonly feedAccess: FeedAccess;
  readonly codes: SignInCodes;
}

export function serveHttp(parts: HttpParts): WebAccess {
  const { shared, closers, log, link, http, library, retention, playback, broadcasts, checkPublish, history } = parts;
  const { config: settings, store, clock, ids, quota, refusals, strangers, urls } = shared;
  const config = apiConfigOf(settings, urls.httpUrl);
  const feedAccess = new FeedAccess({ store, clock, ids, config, refusals });
  closers.add('access of feeds', () => feedAccess.close());
  const bodies = new BodyMemory();
  const feed = openFeed(parts, feedAccess);
  const values = serverMetrics(parts, () => ({
    ...read(JOURNAL_METRICS, parts),
    ...read(WEB_METRICS, { playback, feed, bodies, http, retention, link }),
  }));
  const { certificatePath } = parts;
  const state = () =>
    serverState({ values, idle: () => link.idle, library, jobs: parts.storage.jobs, certificatePath });
  const serverHistory = openServerHistory(parts, state);
  const access = { feedAccess, codes: new SignInCodes(() => clock.monotonicMs()) };
  const dashboard = createDashboard(dashboardDeps(parts, access, { feed, serverState: state, serverHistory }));
  const metrics = createMetrics({
    values,
    shared: {
      spoolBytes: () => library.spoolBytes(),
      disk: () => library.disk(),
      jobs: () => parts.storage.jobs.depths(),
      certificateExpiresMs: () => certificateExpiryMs(certificatePath),
    },
    store,
    isOpenToLoopback: !mayBeProxied(settings),
    authorize: (token, request) => feedAccess.mayReadMetrics(token, addressOf(settings, request)),
    clock,
    log,
  });
  const api = createApi(
    {
      config,
      store,
      broadcasts,
      checkPublish,
      clock,
      ids,
      quota,
      log: strangers,
      readiness: () => readiness({ store, processes: () => processesOf(link), isDraining: () => link.isDraining }),
      recordsStored: parts.recordsStored,
      observedValues: async (id) => ({ columns: SERIES_COLUMNS, points: (await history.read(id)).points }),
      blobs: parts.storage.blobs,
      links: library.links,
      uploads: library.uploads,
      forwards: forwardSettings(shared, parts.ports),
      playbackLinks: (id, tokenId) => playback.links(id, { tokenId }),
      mounts: [
        { path: '/metrics', handler: metrics.handler, counts: 'call' },
        { path: '/files', handler: library.files },
        ...playback.mounts,
        ...dashboard.mounts,
      ],
    },
    refusals,
    bodies,
  );
  closers.add('interface', () => api.close());
  const upgrade = api.limitUpgrades((request, socket, head) => {
    if (playback.upgrade(request, socket, head) || dashboard.upgrade(request, socket, head)) return;
    refuseUpgrade(socket, 404);
  });
  const handler = metrics.watch(api.app);
  http.serve(parts.isTraced ? traceRequests(handler) : handler, upgrade);
  return access;
}

const processesOf = (link: RoleLink) => ({
  ingest: link.peers('ingest').length,
  media: link.idle.includes('media') ? ('idle' as const) : link.peers('media').length,
});

/** From the process that receives the stream. */
async function takeStill(calls: Calls, liveVideoId: string): Promise<Uint8Array | undefined> {
  const jpeg = (await calls.askAll('ingest', 'still', liveVideoId)).find((each) => each !== null);
  return jpeg ? Buffer.from(jpeg, 'base64') : undefined;
}

/** The metrics of all processes of the server; `own`: those of this one, beside what it uses. */
function serverMetrics({ link, calls, log }: HttpParts, own: () => Values): () => Promise<Values> {
  const ours = ownMetrics(link.role, log, own);
  const roles = ['store', 'ingest', 'media', 'forward'] as const;
  const others = new WorkerMetrics({
    ids: () => roles.flatMap((role) => calls.ids(role)),
    values: async (id) => {
      const role = roles.find((each) => calls.ids(each).includes(id));
      return role && calls.ask(role, id, 'metrics');
    },
  });
  return async () => {
    const usage = link.supervisor;
    const supervisor = usage === undefined ? {} : read(PROCESS_METRICS, { role: 'supervisor', usage });
    return sum([ours(), supervisor, await others.collect()]);
  };
}

function openFeed({ shared, broadcasts, closers }: HttpParts, feedAccess: FeedAccess): LiveFeed {
  const { config, store, clock, refusals, strangers } = shared;
  const feed = new LiveFeed({
    store,
    running: SYSTEM_EDGES.connected,
    broadcasts,
    authenticate: (token, from) => feedAccess.authenticate(token, from),
    addressOf: (request) => addressOf(config, request),
    refusals,
    reconnectGraceMs: config.reconnectGraceS * 1000,
    isForwarding: config.forwards,
    clock,
    log: strangers,
  });
  closers.add('feed', () => feed.close());
  return feed;
}

function openServerHistory(
  { shared: { config, store, clock }, closers, log }: HttpParts,
  state: DashboardDeps['serverState'],
): ServerHistory {
  const history = new ServerHistory({ store, clock, log, serverId: serverIdOf(config), state });
  history.start();
  closers.add('history of the server', () => history.close());
  return history;
}

function dashboardDeps(
  parts: HttpParts,
  { feedAccess, codes }: WebAccess,
  made: Pick<DashboardDeps, 'feed' | 'serverState' | 'serverHistory'>,
): DashboardDeps {
  const { shared, calls, history } = parts;
  const { config, store, clock, ids, refusals, strangers, urls } = shared;
  const forwards = forwardSettings(shared, parts.ports);
  return {
    ...made,
    store,
    running: SYSTEM_EDGES.connected,
    authenticate: (token, from) => feedAccess.authenticate(token, from),
    addressOf: (request) => addressOf(config, request),
    refusals,
    reconnectGraceMs: config.reconnectGraceS * 1000,
    links: feedAccess,
    matches: matchReview(parts),
    reports: {
      html: async (id) => {
        const report = await reportOnId({ store, clock, history, forwards, blobs: parts.storage.blobs }, id);
        return report && htmlReport(report);
      },
    },
    opensReport: (token, id, from) => feedAccess.opensReport(token, id, from),
    sessions: new Sessions({ store, clock, ids }),
    signIn: signInBy(shared, codes),
    identify: (token, proof, from) => feedAccess.identify(token, proof, from),
    originOf: (request) => originOf(request, (address) => config.trustedProxies.includes(address)),
    publicUrl: urls.httpUrl,
    history,
    stills: new FreshStills({ take: (id) => takeStill(calls, id), clock }),
    root: fileURLToPath(new URL('../../dashboard/web/', import.meta.url)),
    help: {
      root: fileURLToPath(new URL('../../help/', import.meta.url)),
      sources: fileURLToPath(new URL('../../../docs/.vitepress/', import.meta.url)),
    },
    clock,
    log: strangers,
  };
}

/** It does not change at a restart, and differs from those of other servers on the same store. */
const serverIdOf = ({ dataDir }: Config): string =>
  createHash('sha256').update(`${hostname()}\n${dataDir}`).digest('base64url').slice(0, 16);

const MATCHES_PAGE = 50;

/** Copyright matches on the dashboard, decided as on the command line. */
function matchReview({ shared, broadcasts, calls }: HttpParts): DashboardDeps['matches'] {
  const { config, store, clock, ids } = shared;
  return {
    list: async ({ state, after }) => {
      const { rows, ...rest } = await listMatches({ store }, state, { limit: MATCHES_PAGE, ...defined({ after }) });
      return { rows: await withKinds(store, rows), ...rest };
    },
    decide: async (id, decision, by) => {
      const decided = await decideMatch({ store, broadcasts, clock, ids }, id, decision, by);
      return (await withKinds(store, [decided]))[0] ?? decided;
    },
    clip: (id, piece) => takeClip(calls, samplesFolder(config.dataDir), id, piece),
  };
}

/** With the kind of each subject, to which the page links; without it, if the subject was deleted. */
async function withKinds(
  { objects }: Pick<Store, 'objects'>,
  rows: readonly MatchRow[],
): Promise<readonly (MatchRow & { readonly subject_kind?: string })[]> {
  const found = await objects.getMany(rows.map(({ subject_id }) => subject_id));
  return rows.map((row, index) => {
    const kind = found[index]?.kind;
    return kind === undefined ? row : { ...row, subject_kind: kind };
  });
}

/** The token of a sign-in is its owner's. */
function signInBy({ config, store, clock, ids, refusals }: Shared, codes: SignInCodes): SignIn {
  return async (code, from) => {
    const signsIn = codes.redeem(code);
    if (signsIn === undefined) {
      refusals.add({ action: 'sign-in refused: unknown, used or expired link', from });
      return undefined;
    }
    const expiresMs = clock.wallMs() + SIGN_IN.tokenMs;
    const { ownerId, readsAll } = signsIn;
    const scopes = readsAll ? [...SCOPES, OPERATOR_READ] : SCOPES;
    const wanted = { ownerId, scopes, expiresMs, label: 'sign-in link', from };
    const { id, token } = await issueToken({ store, clock, ids }, wanted);
    const secret = config.requireAppSecretProof ? config.appSecret : undefined;
    const proof = secret === undefined ? {} : { proof: createHmac('sha256', secret).update(token).digest('hex') };
    return { token, tokenId: id, ownerId, expiresMs, ...proof };
  };
}

function apiConfigOf(config: Config, publicHttpUrl: string): ApiConfig {
  return {
    publicHttpUrl,
    enforce: config.enforce,
    isProxy: (address) => config.trustedProxies.includes(address),
    requireAppSecretProof: config.requireAppSecretProof,
    ...defined({ appId: config.appId, appSecret: config.appSecret }),
    rateLimits: {
      perTokenPerMinute: config.rateLimitPerToken,
      perAddressPerMinute: config.rateLimitPerAddress,
      countLoopback: !isLoopback(config.host) || !isLoopback(new URL(publicHttpUrl).hostname.replace(/^\[|\]$/g, '')),
    },
  };
}

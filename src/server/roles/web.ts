/** The web role: everything on the HTTP port, and the webhook. */

import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { FeedAccess } from '../../api/access/feed-access.js';
import { OPERATOR_READ, SCOPES } from '../../api/access/scopes.js';
import { SIGN_IN, SignInCodes } from '../../api/access/sign-in-codes.js';
import { issueToken } from '../../api/access/token-issue.js';
import type { ApiConfig, ApiDeps } from '../../api/context/config.js';
import { createApi } from '../../api/create.js';
import { webhookSecret } from '../../config/key-secret.js';
import { mayBeProxied } from '../../config/public-urls.js';
import { isLoopback } from '../../config/settings/networks.js';
import type { Config } from '../../config/settings/schema.js';
import { createDashboard, type Dashboard } from '../../dashboard/dashboard.js';
import type { SignIn } from '../../dashboard/data.js';
import { FreshStills } from '../../dashboard/stills.js';
import { SERIES_COLUMNS } from '../../dashboard/view/health-series.js';
import type { ServerState } from '../../dashboard/view/server-state.js';
import { defined } from '../../lib/objects.js';
import { refuseUpgrade } from '../../playback/viewers/sinks.js';
import { SYSTEM_EDGES } from '../../ports/index.js';
import { htmlReport, REPORT_STYLE } from '../../report/html.js';
import { PendingMarks } from '../../store/journal/pending-mark.js';
import { Webhook } from '../../webhook/webhook.js';
import { type ReportDeps, reportOnId } from '../admin/report-sources.js';
import type { RoleLink } from '../cluster/link.js';
import { CLIPS_SUBJECT, type CutClip, clipsElsewhere } from '../cluster/media-clips.js';
import { samplesFolder } from '../cluster/sample-files.js';
import { type TakeStill, takeFromIngest } from '../cluster/take-still.js';
import { RECORDS_SUBJECT, WorkerRecords } from '../cluster/worker-records.js';
import { workerChannel } from '../cluster/workers.js';
import type { HttpListener } from '../http/listener.js';
import { readiness } from '../http/readiness.js';
import { traceRequests } from '../http/traced-requests.js';
import { createMetrics, type Metrics } from '../metrics/metrics.js';
import { addressOf } from '../services/client.js';
import type { Core } from '../services/core.js';
import { serverCounts } from './counts.js';
import { RECORDS_STORED_MS } from './ingest.js';
import { matchReview } from './match-review.js';
import type { Running, Starting } from './running.js';
import { certificateExpiryMs, serverState } from './server-state.js';
import type { WebRunning } from './web-running.js';

/** What serves the HTTP port. */
interface WebOptions {
  readonly certificatePath: string;
  readonly http: HttpListener;
  readonly httpUrl: string;
}

/** What the HTTP port and the quickstart share. */
export interface WebAccess {
  readonly feedAccess: FeedAccess;
  readonly codes: SignInCodes;
  readonly recordsStored: NonNullable<ApiDeps['recordsStored']>;
}

export function serveHttp(starting: Starting, running: WebRunning, options: WebOptions): WebAccess {
  const { closers } = starting;
  const { core, playback } = running;
  const { store, clock, ids, refusals } = core;
  const config = apiConfigOf(starting.config, options.httpUrl);
  const feedAccess = new FeedAccess({ store, clock, ids, config, refusals });
  closers.add('access of feeds', () => feedAccess.close());
  const codes = new SignInCodes(() => clock.monotonicMs());
  const snapshot = serverCounts(starting, running, () => counts());
  const state = () => serverState({ snapshot, media: running.media, certificatePath: options.certificatePath });
  const dashboard = openDashboard(starting, running, { feedAccess, codes, state });
  const counts = () => ({
    feedReaders: dashboard.sockets,
    httpBodyBytes: api.bodies.held,
    httpBodyLimitBytes: api.bodies.limit,
    httpSocketsRefused: options.http.refusedSockets,
  });
  const metrics = openMetrics(starting, running, { snapshot, feedAccess, certificatePath: options.certificatePath });
  const stored = recordsStored(starting, core);
  const interfaceDeps: ApiDeps = {
    ...apiDeps(starting, running),
    recordsStored: stored,
    config,
    mounts: [
      { path: '/metrics', handler: metrics.handler, counts: 'call' },
      { path: '/files', handler: running.media.vod.files },
      ...(playback?.mounts ?? []),
      ...dashboard.mounts,
    ],
  };
  const api = createApi(interfaceDeps, refusals);
  closers.add('interface', () => api.close());
  closers.add('dashboard', () => dashboard.close());
  const upgrade = api.limitUpgrades((request, socket, head) => {
    if (playback?.upgrade(request, socket, head) || dashboard.upgrade(request, socket, head)) return;
    refuseUpgrade(socket, 404);
  });
  const handler = metrics.watch(api.app);
  options.http.serve(starting.isTraced ? traceRequests(handler) : handler, upgrade);
  return { feedAccess, codes, recordsStored: stored };
}

function apiDeps(starting: Starting, running: WebRunning): Omit<ApiDeps, 'config' | 'mounts' | 'recordsStored'> {
  const { link } = starting;
  const { core, history, media, playback } = running;
  const { engine, store, clock, ids, quota, strangers } = core;
  const { blobs, links, uploads } = media.vod;
  return {
    store,
    broadcasts: engine.service,
    checkPublish: (name, address) => engine.check(name, address),
    clock,
    ids,
    quota,
    log: strangers,
    readiness: () =>
      readiness({ store, processes: () => processesOf(link), isDraining: () => link?.isDraining ?? false }),
    observedValues: async (id) => ({ columns: SERIES_COLUMNS, points: (await history.read(id)).points }),
    blobs,
    links,
    uploads,
    ...(playback === undefined
      ? {}
      : { playbackLinks: (id: string, tokenId?: string) => playback.links(id, { tokenId }) }),
  };
}

function openDashboard(
  { config, link }: Starting,
  running: WebRunning,
  { feedAccess, codes, state }: Omit<WebAccess, 'recordsStored'> & { readonly state: () => Promise<ServerState> },
): Dashboard {
  const { core, history } = running;
  const { engine, store, clock, refusals, strangers } = core;
  return createDashboard({
    store,
    running: SYSTEM_EDGES.connected,
    broadcasts: engine.service,
    authenticate: (token, from) => feedAccess.authenticate(token, from),
    addressOf: (request) => addressOf(config, request),
    refusals,
    reconnectGraceMs: config.reconnectGraceS * 1000,
    links: feedAccess,
    matches: matchReview(running, cutClips(config, running, link)),
    reports: { html: (id) => reportPage({ store, clock, history }, id), style: REPORT_STYLE },
    opensReport: (token, id, from) => feedAccess.opensReport(token, id, from),
    serverState: state,
    signIn: signInBy(core, config, codes),
    history,
    stills: new FreshStills({ take: takeStill(link, running), clock }),
    root: fileURLToPath(new URL('../../dashboard/web/', import.meta.url)),
    clock,
    log: strangers,
  });
}

function takeStill(link: RoleLink | undefined, { media: { stills } }: Pick<Running, 'media'>): TakeStill {
  return link === undefined ? async (id) => stills?.take(id) : takeFromIngest(link);
}

function cutClips({ dataDir }: Config, { media }: Pick<Running, 'media'>, link: RoleLink | undefined): CutClip {
  if (link !== undefined) return clipsElsewhere(samplesFolder(dataDir), workerChannel(link, CLIPS_SUBJECT, ['media']));
  return async (id, piece) => (await media.vod.clips?.clip(id, piece)) ?? { gone: 'This server opens no media.' };
}

async function reportPage(deps: ReportDeps, id: string): Promise<string | undefined> {
  const report = await reportOnId(deps, id);
  return report && htmlReport(report);
}

/** The token of a sign-in is its owner's. */
function signInBy({ store, clock, ids, refusals }: Core, config: Config, codes: SignInCodes): SignIn {
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
    const { token } = await issueToken({ store, clock, ids }, wanted);
    const secret = config.requireAppSecretProof ? config.appSecret : undefined;
    const proof = secret === undefined ? {} : { proof: createHmac('sha256', secret).update(token).digest('hex') };
    return { token, expiresMs, ...proof };
  };
}

function openMetrics(
  { config, log }: Starting,
  running: WebRunning,
  deps: {
    readonly snapshot: ReturnType<typeof serverCounts>;
    readonly feedAccess: FeedAccess;
    readonly certificatePath: string;
  },
): Metrics {
  const { core, media } = running;
  return createMetrics({
    snapshot: deps.snapshot,
    shared: {
      spoolBytes: () => media.vod.spoolBytes(),
      disk: () => media.vod.disk(),
      jobs: () => media.vod.jobs.depths(),
      certificateExpiresMs: () => certificateExpiryMs(deps.certificatePath),
    },
    store: core.store,
    isOpenToLoopback: !mayBeProxied(config),
    authorize: (token, request) => deps.feedAccess.mayReadMetrics(token, addressOf(config, request)),
    clock: core.clock,
    log,
  });
}

function processesOf(link: RoleLink | undefined): { readonly ingest: number; readonly media: number } {
  if (link === undefined) return { ingest: 1, media: 1 };
  return { ingest: link.peers('ingest').length, media: link.peers('media').length };
}

export function openWebhook({ config, log, closers }: Starting, core: Core): void {
  const { webhookUrl: url } = config;
  if (url === undefined) return;
  const { store, clock, serverKey, previousKey, holder } = core;
  const secret = webhookSecret(serverKey);
  const previousSecret = () =>
    previousKey !== undefined && previousKey.untilMs > clock.wallMs() ? webhookSecret(previousKey.key) : undefined;
  const running = SYSTEM_EDGES.connected;
  const webhook = new Webhook({ store, clock, log, url, secret, previousSecret, holder, running });
  closers.add('webhook', () => webhook.close());
}

/** A GET returns the records that the encoder received before it, whichever process sent them. */
function recordsStored({ config, closers, link }: Starting, { journal }: Core): NonNullable<ApiDeps['recordsStored']> {
  const own = (broadcastId: string) => journal.stored(broadcastId, RECORDS_STORED_MS);
  if (link === undefined) return own;
  const others = new WorkerRecords(workerChannel(link, RECORDS_SUBJECT), RECORDS_STORED_MS);
  const marks = new PendingMarks(config.dataDir);
  closers.add('marks of pending records', () => marks.close());
  const holders = () => link.peers('ingest').map(({ holder = '' }) => holder);
  return (broadcastId) =>
    marks.isAnyPending(holders()) ? Promise.all([own(broadcastId), others.stored(broadcastId)]) : own(broadcastId);
}

function apiConfigOf(config: Config, publicHttpUrl: string): ApiConfig {
  return {
    publicHttpUrl,
    enforce: config.enforce,
    trustProxy: config.trustedProxies.networks,
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

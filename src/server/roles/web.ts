/** The web process: HTTP, dashboard, feed, playback, webhook, administration, certificates of an authority. */
import { answerChallenges } from '../../acme/order.js';
import { AcmeRenewer } from '../../acme/renewer.js';
import { FileAccess } from '../../api/access/file-access.js';
import { useAcmePair, writeAcmeStatus } from '../../config/certificates/acme-files.js';
import type { CertificateChange as Pair } from '../../config/certificates/certificate-watch.js';
import { ensureCertificate, readPair, validityOf } from '../../config/certificates/certificates.js';
import { adminSocketPath } from '../../config/data-folder.js';
import { webhookSecret } from '../../config/key-secret.js';
import { LISTENERS, type ListenerName, type PublicPorts } from '../../config/listeners.js';
import type { Config } from '../../config/settings/schema.js';
import { DistributedHistory } from '../../dashboard/history/distributed-history.js';
import { HealthHistory } from '../../dashboard/history/history.js';
import { defined } from '../../lib/objects.js';
import { SYSTEM_EDGES, storedReferences } from '../../ports/index.js';
import { absentTools, missingTools } from '../../probe/tool-paths.js';
import type { ErrorJournal } from '../../store/journal/error-journal.js';
import { PendingMarks } from '../../store/journal/pending-mark.js';
import { Webhook } from '../../webhook/webhook.js';
import { adminActions } from '../admin/actions.js';
import type { AdminActions, AdminContext, ServerSetup } from '../admin/context.js';
import { adminHandler } from '../admin/handler.js';
import { type SignInDeps, signInActions } from '../admin/sign-in.js';
import { AdminSocketError, HttpListener } from '../http/listener.js';
import { runQuickstart } from '../quickstart/run.js';
import { RECORDS_STORED_MS } from '../rpc/contract.js';
import type { RoleLink } from '../rpc/link.js';
import { StoredRecords } from '../rpc/stored-records.js';
import { openCleanup } from '../services/cleanup.js';
import { forwardSettings, resealForwards } from '../services/forward-settings.js';
import { openLibrary } from '../services/library.js';
import { MediaDemand } from '../services/media-demand.js';
import { openPlayback } from '../services/playback.js';
import { openSandbox, toolSettings } from '../services/sandbox.js';
import { announceServer } from '../services/server-registry.js';
import { broadcastDeps, broadcastRequests, openJournal, openShared, Pauses, type Shared } from '../services/shared.js';
import { openWork, RecordingJobs, storageOf } from '../services/storage.js';
import { serveHttp } from './http-interface.js';
import { followCertificate, type RoleProcess } from './process.js';

/** Clients of the administration are users who may do anything here, so a slow one is no attack. */
const ADMIN_CHECK_MS = 60_000;

/** Resolves with the ID with which the process holds leases. */
export async function openWeb(process: RoleProcess): Promise<string> {
  const { config, log, closers, signal, link, calls, isTraced } = process;
  const ports = await link.ports();
  const paths = await ensureCertificate(config);
  const pair = readPair(paths);
  const shared = await openShared({ config, log, closers }, { ports, isStoreServed: true, isTraced });
  const { store, clock, holder, urls } = shared;
  const journal = await openJournal(shared, closers);
  await resealForwards(shared);
  signal.throwIfAborted();

  const cage = await openSandbox({ config, log }, signal);
  signal.throwIfAborted();
  const videos = await openVideos(process, shared);
  const pauses = new Pauses();
  closers.add('waits', () => pauses.end());
  const recordings = new RecordingJobs(videos.storage.jobs, config.record, log);
  const requests = broadcastRequests(broadcastDeps(shared, { errors: journal, recordings, pauses }));

  // Deletes the charts of deleted broadcasts; the ingest processes sample.
  const charts = new HealthHistory({ store, clock, log });
  closers.add('charts', () => charts.close());
  charts.start();
  const history = new DistributedHistory(store, (id) => calls.askAll('ingest', 'unsavedSamples', id));

  const http = openHttp(process, shared, pair);
  // Players and feeds are closed before the listener, which otherwise waits for them.
  const playback = openPlayback(shared, cage, calls);
  closers.add('playback', () => playback.close());
  followCertificate(process, paths, pair, (next) => {
    http.replaceCertificate(next);
    log.info({}, 'the certificate was replaced');
  });
  if (config.acmeDomains.length > 0) openAcme(process, shared);

  const holders = () => link.peers('ingest').flatMap((peer) => (peer.holder === undefined ? [] : [peer.holder]));
  closers.add('announcement', announceServer({ store, log, url: config.internalHttpUrl }, holders));
  const recordsStored = openRecordsStored(process, journal);
  const access = serveHttp({
    ...process,
    ...requests,
    ...videos,
    shared,
    http,
    certificatePath: paths.certFile,
    ports,
    playback,
    history,
    recordsStored,
    journal,
  });
  const { blobs } = videos.storage;
  const publicHttpUrl = urls.httpUrl;
  const context = { ...shared, ...urls, ...access, ...requests, publicHttpUrl, history, recordsStored, blobs };
  await openAdminSocket(process, context);
  if (config.webhookUrl !== undefined) openWebhook(process, shared, config.webhookUrl);
  if (config.quickstart) {
    const stop = await runQuickstart({ ...shared, ...requests, access, dataDir: config.dataDir, ports });
    closers.add('quickstart', stop);
  }
  videos.sweeper.start();
  return holder;
}

/** Uploads, files and cleanup of videos. */
async function openVideos({ config, log, closers, link }: RoleProcess, shared: Shared) {
  const { store, clock, urls } = shared;
  const storage = await storageOf(shared, closers);
  const tokens = new FileAccess({ store, clock, config: { publicHttpUrl: urls.httpUrl } });
  closers.add('access of files', () => tokens.close());
  const work = await openWork(config.dataDir);
  const library = openLibrary(storage, work, {
    ...shared,
    tokens,
    uploadRefusal: () => missingTools(toolSettings(config)),
    fetch: { networks: config.fetchNetworks },
  });
  closers.add('library', () => library.close());
  const { sweeper, retention } = openCleanup(storage, work, {
    ...shared,
    retentionDays: config.recordingRetentionDays,
  });
  closers.add('cleanup', () => sweeper.close());
  const absent = absentTools(toolSettings(config));
  if (absent.length > 0) log.warn({ absent }, 'a media tool is not installed; recordings and uploads wait until it is');
  const media = new MediaDemand({
    jobs: storage.jobs,
    bus: store.bus,
    hasReferences: async () => {
      for await (const _ of storedReferences(store.objects)) return true;
      return false;
    },
    log,
    isIdle: () => link.idle.includes('media'),
    demand: () => link.demand('media', true),
  });
  closers.add('demand of media', () => media.close());
  return { storage, library, retention, sweeper };
}

/** Answers 503 until it serves. */
function openHttp({ config, log, closers, link }: RoleProcess, { refusals }: Shared, pair: Pair): HttpListener {
  const http = new HttpListener(config.https ? pair : undefined, {
    isProxy: (address) => config.trustedProxies.includes(address),
    refusals,
    log,
  });
  closers.add('http', () => http.close());
  link.onConnection('http', http.takeOver());
  return http;
}

function openWebhook({ log, closers }: RoleProcess, shared: Shared, url: string): void {
  const { store, clock, serverKey, previousKey, holder } = shared;
  const secret = webhookSecret(serverKey);
  const previousSecret = () =>
    previousKey !== undefined && previousKey.untilMs > clock.wallMs() ? webhookSecret(previousKey.key) : undefined;
  const running = SYSTEM_EDGES.connected;
  const webhook = new Webhook({ store, clock, log, url, secret, previousSecret, holder, running });
  closers.add('webhook', () => webhook.close());
}

/** Orders and renews the certificate, and answers the authority on its port. */
function openAcme({ config, log, closers, link }: RoleProcess, shared: Shared): void {
  const { acmeDomains: domains, acmeDirectory: directory, acmeEmail: email, certsDir } = config;
  const { store, clock, serverKey, previousKey, holder } = shared;
  const port = new HttpListener(undefined, { log });
  port.serve(answerChallenges(store.volatile));
  closers.add('acme port', () => port.close());
  link.onConnection('acme', port.takeOver());
  const renewer = new AcmeRenewer({
    store,
    clock,
    log,
    holder,
    directory,
    domains,
    email,
    serverKeys: [serverKey, ...(previousKey === undefined ? [] : [previousKey.key])],
    validity: validityOf,
    takeOver: (status, pair) => {
      if (pair !== undefined) useAcmePair(certsDir, { certificate: pair.certificate, privateKey: pair.key });
      writeAcmeStatus(certsDir, status);
    },
  });
  closers.add('acme', () => renewer.close());
  renewer.start();
}

/** A GET returns the records that the encoder received before it, whichever process sent them. */
function openRecordsStored(
  { config, closers, link, calls }: RoleProcess,
  journal: ErrorJournal,
): (broadcastId: string) => Promise<unknown> | undefined {
  const own = (broadcastId: string) => journal.stored(broadcastId, RECORDS_STORED_MS);
  const others = new StoredRecords(calls);
  const marks = new PendingMarks(config.dataDir);
  closers.add('marks of pending records', () => marks.close());
  const holders = () => link.peers('ingest').map(({ holder = '' }) => holder);
  return (broadcastId) =>
    marks.isAnyPending(holders()) ? Promise.all([own(broadcastId), others.stored(broadcastId)]) : own(broadcastId);
}

/** The administration's socket file in the data folder, which the commands of this machine talk to. */
async function openAdminSocket(
  { config, log, closers, link }: RoleProcess,
  context: AdminContext & SignInDeps & Shared,
): Promise<void> {
  const ports = await link.ports();
  const forwards = forwardSettings(context, ports);
  const admin = new HttpListener(undefined, { checkMs: ADMIN_CHECK_MS, log });
  const actions = {
    ...adminActions({ ...context, forwards }),
    ...signInActions(context),
    ...supervisorActions(link),
    'server.setup': async () => setupOf(config, ports),
  };
  admin.serve(adminHandler(actions, log));
  closers.add('administration', () => admin.close());
  const path = adminSocketPath(config);
  await admin.listenOnFile(path).catch((error: unknown) => {
    throw new AdminSocketError(path, error);
  });
}

/** `airlock doctor` looks at this in place of the settings of its own environment. */
function setupOf({ host, dataDir, certsDir }: Config, ports: PublicPorts): ServerSetup {
  const port = (name: ListenerName) => ports[`${name}Port`];
  return {
    host,
    dataDir,
    certsDir,
    ports: defined(Object.fromEntries(LISTENERS.map(({ name }) => [name, port(name)]))),
  };
}

/** The supervisor carries them out and answers with its state. */
function supervisorActions(link: RoleLink): AdminActions {
  return {
    'server.state': () => link.order('state'),
    'server.drain': () => link.order('drain'),
    'server.reload': () => link.order('reload'),
  };
}

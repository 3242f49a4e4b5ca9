/** The web role: HTTP interface, dashboard, feed, administration, webhook and playback. */
import { answerChallenges } from '../../acme/challenge.js';
import { AcmeRenewer } from '../../acme/renewer.js';
import { useAcmePair, writeAcmeStatus } from '../../config/certificates/acme-files.js';
import { validityOf } from '../../config/certificates/certificates.js';
import { publicUrls } from '../../config/public-urls.js';
import type { RoleLink } from '../cluster/link.js';
import { announceServer } from '../cluster/server-registry.js';
import { HttpListener } from '../http/listener.js';
import { runQuickstart } from '../quickstart/run.js';
import type { PublicPorts } from '../supervisor/messages.js';
import { openAdminSocket } from './admin-socket.js';
import { watchPair } from './ingest.js';
import type { Certificate, Running, Starting } from './running.js';
import { openWebhook, serveHttp } from './web.js';
import { webRunning } from './web-running.js';

export interface WebStart {
  readonly certificate: Certificate;
  readonly http: HttpListener;
  readonly ports: PublicPorts;
  /** IDs with which the ingest processes of this server hold leases. */
  readonly holders: () => readonly string[];
}

/** Answers 503 until `startWeb`. */
export function openHttp(starting: Starting, { core, playback }: Running, certificate: Certificate): HttpListener {
  const { config, log, closers } = starting;
  const http = new HttpListener(config.https ? certificate.pair : undefined, {
    isProxy: (address) => config.trustedProxies.includes(address),
    onLimit: (limit, from) => core.refusals.add({ action: `limit reached: ${limit}`, from }),
    log,
  });
  closers.add('http', () => http.close());
  // Players and feeds are closed before the listener, which otherwise waits for them.
  if (playback !== undefined) closers.add('playback', () => playback.close());
  watchPair(starting, certificate, (next) => {
    http.replaceCertificate(next);
    log.info({}, 'the certificate was replaced');
  });
  return http;
}

/** Orders and renews the certificate, and answers the authority on its port. */
export function openAcme({ config, log, closers }: Starting, { core }: Running, link: RoleLink): void {
  const { acmeDomains: domains, acmeDirectory: directory, acmeEmail: email, certsDir } = config;
  if (domains.length === 0) return;
  const { store, clock, serverKey, previousKey, holder } = core;
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
    use: ({ certificate, key }) => void useAcmePair(certsDir, { certificate, privateKey: key }),
    onStatus: (status) => writeAcmeStatus(certsDir, status),
  });
  closers.add('acme', () => renewer.close());
  renewer.start();
}

export async function startWeb(starting: Starting, running: Running, { http, ports, holders, certificate }: WebStart) {
  const { config, log, closers, link } = starting;
  const web = webRunning(running, link);
  const { core } = web;
  core.usePorts(ports);
  const urls = publicUrls(config, ports);
  closers.add('announcement', announceServer({ store: core.store, log, url: config.internalHttpUrl }, holders));
  const access = serveHttp(starting, web, {
    http,
    httpUrl: urls.httpUrl,
    certificatePath: certificate.paths.certFile,
  });
  await openAdminSocket(starting, web, { ...urls, ...access });
  openWebhook(starting, core);
  if (!config.quickstart) return;
  const { dataDir } = config;
  closers.add('quickstart', await runQuickstart({ core, access, dataDir, urls, ports, log }));
}

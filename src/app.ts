/** The composition root: the only place where the modules meet. */
import { createHash } from 'node:crypto';
import { adminActions } from './admin.js';
import { adminHandler } from './admin-handler.js';
import { createOwner, listOwners } from './api/admin/owners.js';
import { issueToken } from './api/admin/tokens.js';
import { createApi } from './api/create-api.js';
import type { TokenData } from './broadcast/documents.js';
import { watchCertificate } from './config/certificate-watch.js';
import { ensureCertificate, readPair } from './config/certificates.js';
import { adminSocketPath } from './config/data-folder.js';
import { publicUrls } from './config/public-urls.js';
import type { Config } from './config/schema.js';
import { type Core, openCore } from './core.js';
import { HttpListener } from './http-listener.js';
import type { Log, Store } from './ports.js';
import { Quickstart } from './quickstart.js';

export interface RunningApp {
  readonly addresses: { readonly rtmpsPort: number; readonly rtmpPort: number | undefined; readonly httpPort: number };
  close(): Promise<void>;
}

/** Starts everything that the configuration asks for; resolves when it can be used. */
export async function startApp(config: Config, deps: { readonly log: Log }): Promise<RunningApp> {
  const { log } = deps;
  const certificate = await ensureCertificate(config);
  for (const warning of certificate.warnings) log.warn({}, warning);
  const pair = readPair(certificate);

  let quickstart: Quickstart | undefined;
  const core = await openCore(config, log, {
    onPersistentLiveVideo: (ownerId) => {
      if (quickstart?.pageId !== ownerId) return;
      quickstart.write().catch((error: unknown) => log.warn({ error }, 'quickstart.json could not be written again'));
    },
  });
  const { ingest, store, clock, ids } = core;

  const http = new HttpListener(config.https ? pair : undefined);
  const httpPort = await http.listen(config.httpPort, config.host);
  const ports = await ingest.listen({
    host: config.host,
    rtmpsPort: config.rtmpsPort,
    rtmpPort: config.rtmpPort,
    tls: {
      cert: pair.cert.toString(),
      key: pair.key.toString(),
      maxVersion: config.tlsMax === '1.3' ? 'TLSv1.3' : 'TLSv1.2',
    },
  });
  const watch = watchCertificate(
    certificate,
    (next) => {
      ingest.replaceCertificate({ cert: next.cert.toString(), key: next.key.toString() });
      http.replaceCertificate(next);
      log.info({}, 'the certificate was replaced');
    },
    (error) => log.warn({ error }, 'the changed certificate cannot be used; the one in use stays'),
  );
  const inUse = { rtmpsPort: ports.rtmpsPort, httpPort };
  core.usePorts(inUse);
  const urls = publicUrls(config, inUse);

  const api = createApi({
    store,
    broadcasts: ingest.broadcasts,
    clock,
    ids,
    log,
    config: { publicHttpUrl: urls.httpUrl, enforce: config.enforce },
    readiness: () => readiness(store),
  });
  http.serve(api.app);
  const admin = new HttpListener();
  admin.serve(adminHandler(adminActions({ store, broadcasts: ingest.broadcasts, clock, ids }), log));
  await admin.listenOnFile(adminSocketPath(config));

  if (config.quickstart) {
    quickstart = quickstartOf(core, config.dataDir, urls, inUse);
    await quickstart.prepare();
  }

  return {
    addresses: { ...ports, httpPort },
    async close() {
      watch.close();
      await Promise.all([http.close(), admin.close()]);
      api.close();
      await core.close();
    },
  };
}

function quickstartOf(
  core: Core,
  dataDir: string,
  urls: ReturnType<typeof publicUrls>,
  ports: { readonly rtmpsPort: number; readonly httpPort: number },
): Quickstart {
  const { store, clock, ids, ingest } = core;
  const admin = { store, clock, ids };
  return new Quickstart({
    ...admin,
    broadcasts: ingest.broadcasts,
    dataDir,
    urls,
    ports,
    isEmpty: async () => (await listOwners(admin, { limit: 1 })).owners.length === 0,
    createOwner: async (owner) => (await createOwner(admin, owner)).id,
    issueToken: async (ownerId) => (await issueToken(admin, { ownerId, label: 'quickstart' })).token,
    tokenWorks: (token, ownerId) => tokenWorks(store, token, ownerId),
  });
}

async function readiness(store: Store) {
  try {
    await store.ping();
    return { ready: true, checks: { store: 'ok' } };
  } catch (error) {
    return { ready: false, checks: { store: error instanceof Error ? error.message : String(error) } };
  }
}

async function tokenWorks(store: Store, token: string, ownerId: string): Promise<boolean> {
  const id = await store.resolveAlias(`token:${createHash('sha256').update(token).digest('hex')}`);
  const found = id === undefined ? undefined : await store.get<TokenData>(id);
  return found !== undefined && found.data.ownerId === ownerId && found.data.revokedMs === undefined;
}

/** Composes store, journal and broadcasts, for the server and for commands on the store. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusals } from '../../api/access/refusals.js';
import { BroadcastEngine } from '../../broadcasts/broadcast-engine.js';
import type { BroadcastDeps } from '../../broadcasts/deps.js';
import { PayloadBuffers } from '../../bytes/payload-buffers.js';
import { requireDataFolder } from '../../config/folders.js';
import { loadServerKeys } from '../../config/key-secret.js';
import { publicUrls } from '../../config/public-urls.js';
import type { Config } from '../../config/settings/schema.js';
import { streamKeys } from '../../config/stream-key.js';
import type { RtmpSettings } from '../../ingest/rtmp/deps.js';
import { isLoopback, RtmpServer } from '../../ingest/rtmp/server.js';
import type { Clock, IdSource, JoinedLog, Log, OwnerQuota, PreviousKey, Store } from '../../ports/index.js';
import { ErrorJournal } from '../../store/journal/error-journal.js';
import { PendingMark } from '../../store/journal/pending-mark.js';
import { openStore, storeSettings } from '../../store/open.js';
import type { Closers } from '../system/closers.js';
import { Joiner } from '../system/joined-log.js';
import { randomBytes, systemClock, TimeOrderedIds } from '../system/system.js';
import { StoreOwnerQuota } from './owner-quota.js';
import { checkServerKey } from './server-key.js';
import { tracedStore } from './traced-store.js';

/** Each connection whose payload is kept fills one. Buffers of 64 KB took 8 MB more with 150 recordings, and no less CPU. */
const OWN_BUFFER_BYTES = 32 * 1024;

export interface Core {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly refusals: Refusals;
  /** For lines that strangers can cause. */
  readonly strangers: JoinedLog;
  readonly store: Store;
  readonly journal: ErrorJournal;
  readonly quota: OwnerQuota;
  readonly engine: BroadcastEngine;
  readonly ingest: RtmpServer;
  readonly serverKey: Buffer;
  readonly previousKey: PreviousKey | undefined;
  readonly holder: string;
  /** Sets the ports in use once the listeners are open; until then URLs have the configured ports. */
  usePorts(ports: { readonly rtmpsPort: number; readonly httpPort: number }): void;
}

/** The parts that exist before packets arrive. */
export interface CoreBase {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** One for all services of the process. */
  readonly refusals: Refusals;
  readonly strangers: JoinedLog;
  readonly store: Store;
  readonly journal: ErrorJournal;
  readonly quota: OwnerQuota;
  readonly serverKey: Buffer;
  readonly previousKey: PreviousKey | undefined;
  readonly buffers: PayloadBuffers;
  /** The ID with which this process holds leases. */
  readonly holder: string;
  /** Must not be called before packets arrive. */
  engine(): BroadcastEngine;
}

export type CoreHooks = Partial<Pick<BroadcastDeps, 'taps' | 'pictures' | 'onEnded'>>;

export interface CoreOptions {
  /** Adds consumers of packets: recorder, probe, relay. */
  readonly extend?: (base: CoreBase) => Promise<CoreHooks>;
  /** The embedded store is served by another process of this machine. */
  readonly isStoreServed?: boolean;
  /** Another process reads the records that this one receives, and sees by a mark whether it has to ask first. */
  readonly marksPending?: boolean;
  /** This process exports traces. */
  readonly isTraced?: boolean;
}

/** Registers what it opens with `closers`, also when it fails. */
export async function openCore(
  config: Config,
  log: Log,
  closers: Closers,
  { extend = async () => ({}), isStoreServed = false, marksPending = false, isTraced = false }: CoreOptions = {},
): Promise<Core> {
  requireDataFolder(config);
  const opened: { engine?: BroadcastEngine } = {};
  const base = await openBase(config, log, closers, {
    isStoreServed,
    marksPending,
    isTraced,
    engine: () => {
      if (opened.engine === undefined) throw new Error('broadcasts were used before they were opened');
      return opened.engine;
    },
  });
  const { clock, ids, refusals, strangers, store, journal, quota, serverKey, previousKey, buffers, holder } = base;
  let urls = publicUrls(config, config);
  const shutdown = new AbortController();
  // Every publish that waits for an older one listens: as many as connect at once.
  setMaxListeners(0, shutdown.signal);
  const engine = new BroadcastEngine({
    ...engineDeps(base, await extend(base)),
    pause: (ms) => pause(ms, shutdown.signal),
    settings: engineSettings(config, () => urls.streamUrlBase),
  });
  opened.engine = engine;
  const settings = rtmpSettings(config);
  const ingest = new RtmpServer(engine, { clock, ids, log, refusals, strangers, buffers, randomBytes, settings });
  closers.add('ingest', async () => {
    shutdown.abort();
    const disconnect = ingest.stop();
    await engine.close();
    await disconnect();
  });
  return {
    clock,
    ids,
    refusals,
    strangers,
    store,
    journal,
    quota,
    engine,
    ingest,
    serverKey,
    previousKey,
    holder,
    usePorts(ports) {
      urls = publicUrls(config, ports);
    },
  };
}

async function openBase(
  config: Config,
  log: Log,
  closers: Closers,
  late: Pick<CoreBase, 'engine'> & Required<Pick<CoreOptions, 'isStoreServed' | 'marksPending' | 'isTraced'>>,
): Promise<CoreBase> {
  const clock = systemClock;
  const keys = loadServerKeys(config);
  const { current: serverKey, previous: previousKey } = keys;
  const opened = await openStore({
    ...storeSettings(config),
    log,
    clock,
    isServed: late.isStoreServed,
  });
  closers.add('store', () => opened.close());
  const store = late.isTraced ? tracedStore(opened) : opened;
  await checkServerKey(store.objects, clock, keys);
  const joiner = new Joiner({ log, clock });
  closers.add('joined log lines', () => joiner.sumUp());
  const holder = randomUUID();
  const journal = await ErrorJournal.open({
    ...(late.marksPending ? { mark: await PendingMark.open(config.dataDir, holder) } : {}),
    dataDir: config.dataDir,
    store,
    log,
    clock,
  });
  closers.add('journal', () => journal.close());
  const ids = new TimeOrderedIds(clock, randomBytes);
  return {
    config,
    log,
    clock,
    ids,
    refusals: new Refusals({ store, clock, ids, log }),
    strangers: joiner.log(),
    store,
    journal,
    quota: new StoreOwnerQuota(store, clock, {
      publishers: config.ownerMaxPublishers,
      objects: config.ownerMaxObjects,
      bytes: config.ownerMaxBytes,
    }),
    serverKey,
    previousKey,
    buffers: new PayloadBuffers(() => new Uint8Array(OWN_BUFFER_BYTES)),
    holder,
    engine: late.engine,
  };
}

function engineDeps(base: CoreBase, hooks: CoreHooks): Omit<BroadcastDeps, 'pause' | 'settings'> {
  const { store, clock, ids, log, refusals, journal, quota, serverKey, previousKey, buffers, holder } = base;
  return {
    ...hooks,
    store,
    clock,
    ids,
    log,
    refusals,
    keys: streamKeys(serverKey, previousKey, () => clock.wallMs()),
    errors: journal,
    quota,
    taps: hooks.taps ?? [],
    buffers,
    holder,
  };
}

/** `urlBase` is read again for each URL, since the ports are known only after the listeners are open. */
function engineSettings(config: Config, urlBase: () => string): BroadcastDeps['settings'] {
  return {
    get publicStreamUrl() {
      return urlBase();
    },
    reconnectGraceMs: config.reconnectGraceS * 1000,
    enforce: config.enforce,
    analysis: config.analysis,
    loudnessTarget: config.loudnessTarget === 'off' ? undefined : Number(config.loudnessTarget),
    record: config.record,
  };
}

function rtmpSettings(config: Config): RtmpSettings {
  return {
    maxConnections: config.maxConnections,
    tlsInFront: config.tlsInFront,
    readIntervalMs: config.readIntervalMs,
    proxyProtocol: config.proxyProtocol,
    isProxy: (address) => config.trustedProxies.includes(address),
    isTrustedAddress: (address) => isLoopback(address) || config.trustedProxies.includes(address),
  };
}

/** False immediately: the server is shutting down. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch (error) {
    if (!signal.aborted) throw error;
    return false;
  }
}

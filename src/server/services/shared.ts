/** Parts that each process with a store needs, for the roles of a server and for commands on the store. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusals } from '../../api/access/refusals.js';
import { BroadcastService } from '../../broadcasts/broadcast-service.js';
import type { BroadcastDeps, Recordings } from '../../broadcasts/deps.js';
import { JudgeFactory } from '../../broadcasts/judge-factory.js';
import { PublishChecks } from '../../broadcasts/publish-checks.js';
import { StateWriter } from '../../broadcasts/state-writer.js';
import { StreamsElsewhere } from '../../broadcasts/streams-elsewhere.js';
import { requireDataFolder } from '../../config/folders.js';
import { deploymentId, loadServerKeys } from '../../config/key-secret.js';
import { type PublicUrls, publicUrls } from '../../config/public-urls.js';
import type { Config } from '../../config/settings/schema.js';
import { streamKeys } from '../../config/stream-key.js';
import { addressOf as addressBehind } from '../../lib/client-address.js';
import type {
  Broadcasts,
  CheckPublish,
  Clock,
  ErrorSink,
  IdSource,
  JoinedLog,
  Log,
  OwnerQuota,
  PreviousKey,
  Store,
} from '../../ports/index.js';
import { ErrorJournal } from '../../store/journal/error-journal.js';
import type { PendingMark } from '../../store/journal/pending-mark.js';
import { openStore, storeSettings } from '../../store/open.js';
import type { Closers } from '../system/closers.js';
import { Joiner } from '../system/joined-log.js';
import { randomBytes, systemClock, TimeOrderedIds } from '../system/system.js';
import { StoreOwnerQuota } from './owner-quota.js';
import { checkServerKey } from './server-key.js';
import { tracedStore } from './traced-store.js';

export interface Shared {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: IdSource;
  /** One for all services of the process. */
  readonly refusals: Refusals;
  /** For lines that strangers can cause. */
  readonly strangers: JoinedLog;
  readonly store: Store;
  readonly quota: OwnerQuota;
  readonly serverKey: Buffer;
  readonly previousKey: PreviousKey | undefined;
  /** The ID with which this process holds leases. */
  readonly holder: string;
  readonly urls: PublicUrls;
}

export interface Opening {
  readonly config: Config;
  readonly log: Log;
  /** Registers each opened part, also when the opening fails. */
  readonly closers: Closers;
}

export interface SharedOptions {
  /** The public ports as they are in use. */
  readonly ports: { readonly rtmpsPort: number; readonly httpPort: number };
  /** Another process of this machine makes the writes of the embedded store. */
  readonly isStoreServed: boolean;
  /** This process exports traces. */
  readonly isTraced: boolean;
}

export async function openShared(
  { config, log, closers }: Opening,
  { ports, isStoreServed, isTraced }: SharedOptions,
): Promise<Shared> {
  requireDataFolder(config);
  const clock = systemClock;
  const keys = loadServerKeys(config);
  const opened = await openStore({ ...storeSettings(config), log, clock, isServed: isStoreServed });
  closers.add('store', () => opened.close());
  const store = isTraced ? tracedStore(opened) : opened;
  await checkServerKey(store.objects, clock, keys);
  const joiner = new Joiner({ log, clock });
  closers.add('joined log lines', () => joiner.sumUp());
  const ids = new TimeOrderedIds(clock, randomBytes);
  return {
    config,
    log,
    clock,
    ids,
    refusals: new Refusals({ store, clock, ids, log }),
    strangers: joiner.log(),
    store,
    quota: new StoreOwnerQuota(store, clock, {
      publishers: config.ownerMaxPublishers,
      objects: config.ownerMaxObjects,
      bytes: config.ownerMaxBytes,
    }),
    serverKey: keys.current,
    previousKey: keys.previous,
    holder: randomUUID(),
    urls: publicUrls(config, ports),
  };
}

/** `mark`: other processes read the records that this one receives, and see by it whether they have to ask first. */
export async function openJournal(
  { config, store, log, clock }: Shared,
  closers: Closers,
  mark?: PendingMark,
): Promise<ErrorJournal> {
  const journal = await ErrorJournal.open({
    dataDir: config.dataDir,
    store,
    log,
    clock,
    ...(mark === undefined ? {} : { mark }),
  });
  closers.add('journal', () => journal.close());
  return journal;
}

/** Waits of broadcasts, which end when the server shuts down. */
export class Pauses {
  readonly #shutdown = new AbortController();

  constructor() {
    // Every publish that waits for an older one listens: as many as connect at once.
    setMaxListeners(0, this.#shutdown.signal);
  }

  /** False immediately: the server is shutting down. */
  async pause(ms: number): Promise<boolean> {
    const { signal } = this.#shutdown;
    try {
      await sleep(ms, undefined, { signal });
      return true;
    } catch (error) {
      if (!signal.aborted) throw error;
      return false;
    }
  }

  end(): void {
    this.#shutdown.abort();
  }
}

export function broadcastDeps(
  shared: Shared,
  own: { readonly errors: ErrorSink; readonly recordings: Recordings; readonly pauses: Pauses },
): BroadcastDeps {
  const { config, store, clock, ids, log, refusals, quota, serverKey, previousKey, holder, urls } = shared;
  return {
    store,
    clock,
    ids,
    log,
    refusals,
    keys: streamKeys(serverKey, previousKey, () => clock.wallMs()),
    errors: own.errors,
    recordings: own.recordings,
    quota,
    holder,
    pause: (ms) => own.pauses.pause(ms),
    settings: {
      publicStreamUrl: urls.streamUrlBase,
      reconnectGraceMs: config.reconnectGraceS * 1000,
      backupAfterMs: config.backupAfterMs,
      enforce: config.enforce,
      analysis: config.analysis,
      loudnessTarget: config.loudnessTarget === 'off' ? undefined : Number(config.loudnessTarget),
      record: config.record,
      deploymentIds: [serverKey, ...(previousKey === undefined ? [] : [previousKey.key])].map(deploymentId),
    },
  };
}

/** Broadcasts in a process that receives no stream. */
export interface BroadcastRequests {
  readonly broadcasts: Broadcasts;
  readonly checkPublish: CheckPublish;
}

export function broadcastRequests(deps: BroadcastDeps): BroadcastRequests {
  const states = new StateWriter(deps.store, deps.clock);
  const broadcasts = new BroadcastService(deps, states, new StreamsElsewhere(deps, states, new JudgeFactory(deps)));
  const checks = new PublishChecks(deps, broadcasts);
  return { broadcasts, checkPublish: (name, address) => checks.check(name, address) };
}

/** The client of an HTTP request, by the settings of the server. */
export function addressOf({ trustedProxies }: Config, request: IncomingMessage): string {
  return addressBehind(request, (address) => trustedProxies.includes(address));
}

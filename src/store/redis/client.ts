/**
 * ioredis clients with our limits: no command is queued or sent twice, every wait has a timeout, and only `close` ends the
 * reconnect attempts.
 */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { defined } from '../../lib/objects.js';
import type { RedisAddress, RedisHost } from './address.js';

/** Timeout of a command. A lease lasts 10 s and is renewed every 3 s. */
export const COMMAND_TIMEOUT_MS = 2_500;
const CONNECT_TIMEOUT_MS = 2_500;
const BACKOFF_FIRST_MS = 50;
/** Others wait for a process that may only be slow to reconnect: `aliveAfterOutageMs` of src/broadcasts. */
const BACKOFF_MAX_MS = 250;

export interface RedisClient<Client = Redis | Cluster> {
  readonly client: Client;
  close(): void;
}

/** A client that connects immediately. Listen to its `error` events. */
export function openClient(address: RedisAddress): RedisClient {
  return kept(makeClient(address));
}

/**
 * A connection for subscriptions. In a cluster every node receives all published messages, so it tries one node after the
 * other. The cluster subscriber of ioredis has no timeout: it stays on a node that hangs and receives nothing.
 *
 * @param nodes returns the known nodes of the cluster; called whenever a connection is lost
 */
export function openSubscriber(address: RedisAddress, nodes: () => readonly RedisHost[]): RedisClient<Redis> {
  if (address.form === 'sentinel') return kept(sentinelClient(address));
  if (address.form === 'single') return kept(singleClient(address));
  let turn = Math.floor(Math.random() * 1_000);
  const next = (): RedisHost | undefined => {
    const known = [...nodes(), ...address.hosts];
    turn += 1;
    return known[turn % known.length];
  };
  const client = singleClient(address, next());
  // ioredis reads the options when it reconnects, which happens after this.
  client.on('close', () => Object.assign(client.options, next()));
  return kept(client);
}

function kept<Client extends Redis | Cluster>(client: Client): RedisClient<Client> {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let attempts = 0;
  client.on('ready', () => {
    attempts = 0;
  });
  // ioredis stops reconnecting in some cases, such as a failover during a reconnect.
  client.on('end', () => {
    if (closed) return;
    attempts += 1;
    timer = setTimeout(
      () => client.connect().catch((error: Error) => client.emit('error', error)),
      backoffMs(attempts),
    );
  });
  return {
    client,
    close: () => {
      closed = true;
      clearTimeout(timer);
      client.disconnect();
    },
  };
}

function makeClient(address: RedisAddress): Redis | Cluster {
  switch (address.form) {
    case 'cluster':
      return clusterClient(address);
    case 'sentinel':
      return sentinelClient(address);
    case 'single':
      return singleClient(address);
    default:
      throw new RangeError(`unknown form ${address.form satisfies never}`);
  }
}

function sharedOptions(address: RedisAddress) {
  return {
    ...defined({ username: address.username, password: address.password }),
    db: address.db,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: COMMAND_TIMEOUT_MS,
    keepAlive: 10_000,
    // Otherwise closing a disconnected client keeps the process alive for two seconds.
    disconnectTimeout: 200,
    // A command that was in flight when the connection broke may have been executed: the caller must decide.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // The bus resubscribes when its connection is ready. The automatic resubscription of ioredis would cause an unhandled
    // rejection, which ends the process, if the connection broke again at that moment.
    autoResubscribe: false,
    enableReadyCheck: true,
    // The former master answers with READONLY after a failover: reconnect to find the new one.
    reconnectOnError: (error: Error) => /^READONLY|-READONLY/.test(error.message),
    ...(address.tls ? { tls: {} } : {}),
  } satisfies RedisOptions;
}

function clusterClient(address: RedisAddress): Cluster {
  return new Cluster([...address.hosts], {
    enableOfflineQueue: false,
    enableReadyCheck: true,
    clusterRetryStrategy: backoffMs,
    retryDelayOnFailover: 100,
    retryDelayOnClusterDown: 100,
    maxRedirections: 10,
    redisOptions: sharedOptions(address),
    // With TLS the certificates of the nodes are for their names, so the announced addresses are used unresolved.
    ...(address.tls ? { dnsLookup: (host, done) => done(null, host) } : {}),
  });
}

function sentinelClient(address: RedisAddress): Redis {
  return new Redis({
    ...sharedOptions(address),
    enableOfflineQueue: false,
    retryStrategy: backoffMs,
    sentinelRetryStrategy: backoffMs,
    sentinels: [...address.hosts],
    name: address.masterName ?? '',
    enableTLSForSentinelMode: address.tls,
    ...(address.tls ? { sentinelTLS: {} } : {}),
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
    ...defined({ sentinelUsername: address.sentinelUsername, sentinelPassword: address.sentinelPassword }),
    // No `failoverDetector`: a message from Sentinel during a reconnect ends the client permanently. Command timeouts
    // detect a master that hangs.
  });
}

function singleClient(address: RedisAddress, host = address.hosts[0]): Redis {
  return new Redis({ ...sharedOptions(address), ...host, enableOfflineQueue: false, retryStrategy: backoffMs });
}

/** Exponential backoff up to a quarter of a second, with jitter so that many clients do not reconnect at once. */
function backoffMs(attempt: number): number {
  const full = Math.min(BACKOFF_FIRST_MS * 2 ** Math.min(attempt, 10), BACKOFF_MAX_MS);
  return Math.round(full * (0.5 + Math.random() / 2));
}

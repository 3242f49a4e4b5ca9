/**
 * ioredis clients with our limits: nothing is queued or sent twice, every wait has an end, and nothing but `close` ends
 * the attempts to come back.
 */
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress, RedisHost } from './address.js';

/** A command without an answer for so long fails; the lease of 10 s is renewed every 3 s. */
export const COMMAND_TIMEOUT_MS = 2_500;
const CONNECT_TIMEOUT_MS = 2_500;
const BACKOFF_FIRST_MS = 50;
const BACKOFF_MAX_MS = 2_000;

export interface RedisClient<Client = Redis | Cluster> {
  readonly client: Client;
  close(): void;
}

/** A client that connects at once. Listen to its `error` events. */
export function openClient(address: RedisAddress): RedisClient {
  return kept(makeClient(address));
}

/**
 * A connection for subscriptions. In a cluster every node hears what is published at any, so it goes from one to the next
 * until one answers. What ioredis has for this has no time limit: with a node that stands still it stays, deaf.
 *
 * @param nodes those of the cluster that are known, asked whenever a connection is lost
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
  // Read by ioredis when it connects again, which it does later than this.
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
  // ioredis gives up for good in corners of its own, such as a failover in the middle of a reconnect.
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
    ...(address.username === undefined ? {} : { username: address.username }),
    ...(address.password === undefined ? {} : { password: address.password }),
    db: address.db,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    socketTimeout: COMMAND_TIMEOUT_MS,
    keepAlive: 10_000,
    // Else a connection that is closed while it is away keeps the process for two seconds.
    disconnectTimeout: 200,
    // A command that was on its way when the connection broke may have been carried out: the caller must know.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // The bus subscribes again by itself when its connection is ready. What ioredis does of its own accord is caught by
    // nobody when the connection breaks again at that moment, and an uncaught rejection ends the process.
    autoResubscribe: false,
    enableReadyCheck: true,
    // After a failover the former master answers like this until it is told apart: connect anew and find the new one.
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
    // With TLS the nodes' certificates are for their names; the addresses that nodes announce are kept as they are.
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
    ...(address.sentinelUsername === undefined ? {} : { sentinelUsername: address.sentinelUsername }),
    ...(address.sentinelPassword === undefined ? {} : { sentinelPassword: address.sentinelPassword }),
    // Not `failoverDetector`: a message from Sentinel in the middle of a reconnect ends the client for good. A master
    // that stands still is noticed by its silence.
  });
}

function singleClient(address: RedisAddress, host = address.hosts[0]): Redis {
  return new Redis({ ...sharedOptions(address), ...host, enableOfflineQueue: false, retryStrategy: backoffMs });
}

/** Doubles up to two seconds, with a random half taken off so that a thousand clients do not come as one. */
function backoffMs(attempt: number): number {
  const full = Math.min(BACKOFF_FIRST_MS * 2 ** Math.min(attempt, 10), BACKOFF_MAX_MS);
  return Math.round(full * (0.5 + Math.random() / 2));
}

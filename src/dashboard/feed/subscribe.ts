/** Parses the first message of a socket. Untrusted input: every field is checked and every length bounded. */
import { isRecord } from '../../lib/objects.js';
import { FEED_LIMITS } from '../view/limits.js';

export interface Subscription {
  /** Empty on the feed of a session. */
  readonly token: string;
  /** `undefined`: all broadcasts of the token's owners. */
  readonly broadcasts: readonly string[] | undefined;
  readonly afterRevision: ReadonlyMap<string, number>;
  readonly recent: number;
}

/** Invalid subscription; the message is sent as the reason of the close frame. */
export class SubscribeFault extends Error {
  override readonly name = 'SubscribeFault';
  readonly code = 'FEED_SUBSCRIBE';
}

const ID = /^\d{1,20}$/;

/** `needsToken`: false on the feed of a session, where a token is not read. @throws SubscribeFault */
export function readSubscribe(text: string, needsToken = true): Subscription {
  const message = parse(text);
  if (message.type !== 'subscribe') throw new SubscribeFault('the first message must be of type subscribe');
  const token = needsToken ? message.token : '';
  if (typeof token !== 'string' || (needsToken && token === '') || token.length > FEED_LIMITS.tokenLength) {
    throw new SubscribeFault('token must be a string');
  }
  return {
    token,
    broadcasts: broadcastsOf(message.broadcasts),
    afterRevision: revisionsOf(message.after_revision),
    recent: recentOf(message.recent),
  };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SubscribeFault('the first message must be JSON', { cause: error });
  }
  if (!isRecord(value)) throw new SubscribeFault('the first message must be an object');
  return value;
}

function broadcastsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null || value === 'all') return undefined;
  if (!Array.isArray(value) || value.length === 0 || value.length > FEED_LIMITS.broadcastsNamed) {
    throw new SubscribeFault(`broadcasts must be a list of 1 to ${FEED_LIMITS.broadcastsNamed} ids`);
  }
  const ids = value.map((id: unknown) => {
    if (typeof id !== 'string' || !ID.test(id)) throw new SubscribeFault('broadcasts must be a list of ids');
    return id;
  });
  return [...new Set(ids)];
}

function revisionsOf(value: unknown): ReadonlyMap<string, number> {
  if (value === undefined || value === null) return new Map();
  if (!isRecord(value)) throw new SubscribeFault('after_revision must be an object of revisions by id');
  const entries = Object.entries(value);
  if (entries.length > FEED_LIMITS.broadcastsListed)
    throw new SubscribeFault('after_revision names too many broadcasts');
  return new Map(
    entries.map(([id, revision]): [string, number] => {
      if (!ID.test(id) || typeof revision !== 'number' || !Number.isSafeInteger(revision) || revision < 0) {
        throw new SubscribeFault('after_revision must be an object of revisions by id');
      }
      return [id, revision];
    }),
  );
}

function recentOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > FEED_LIMITS.recentRecords) {
    throw new SubscribeFault(`recent must be a number from 0 to ${FEED_LIMITS.recentRecords}`);
  }
  return value;
}

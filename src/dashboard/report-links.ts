/**
 * Links that show the report on one broadcast to anyone, read-only, until they expire: ID, expiry and a signature over both.
 * Any server with the key can verify them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { acceptedKeys, type PreviousKey } from '../lib/server-keys.js';
import type { Clock } from '../ports/index.js';

export const REPORT_LINKS = {
  /** Long enough to talk a broadcast over. */
  lifeMs: 7 * 86_400_000,
} as const;

const SIGNATURE_BYTES = 16;
const PATH = /^\/report\/(\d{1,20})\/([0-9a-z]{1,11})\/([\w-]{22})$/;

export class ReportLinks {
  readonly #key: Uint8Array;
  readonly #previous: PreviousKey | undefined;
  readonly #clock: Pick<Clock, 'wallMs'>;

  constructor(serverKey: Uint8Array, clock: Pick<Clock, 'wallMs'>, previous?: PreviousKey) {
    this.#key = linkKey(serverKey);
    this.#previous = previous && { ...previous, key: linkKey(previous.key) };
    this.#clock = clock;
  }

  make(liveVideoId: string): { readonly path: string; readonly expiresMs: number } {
    const expiresMs = this.#clock.wallMs() + REPORT_LINKS.lifeMs;
    const mac = signature(this.#key, liveVideoId, expiresMs).toString('base64url');
    return { path: `/report/${liveVideoId}/${expiresMs.toString(36)}/${mac}`, expiresMs };
  }

  /** The ID of the broadcast; undefined for a link that is not valid. Compares in constant time. */
  read(path: string): string | undefined {
    const [, id, end, mac] = PATH.exec(path) ?? [];
    if (id === undefined || end === undefined || mac === undefined) return undefined;
    const [nowMs, expiresMs] = [this.#clock.wallMs(), Number.parseInt(end, 36)];
    const given = Buffer.from(mac, 'base64url');
    const isSigned = acceptedKeys(this.#key, this.#previous, nowMs).some((key) =>
      timingSafeEqual(given, signature(key, id, expiresMs)),
    );
    return isSigned && expiresMs > nowMs ? id : undefined;
  }
}

/** A separate key for each use of the server key. */
function linkKey(serverKey: Uint8Array): Buffer {
  return createHmac('sha256', serverKey).update('airlock report links 1').digest();
}

function signature(key: Uint8Array, id: string, expiresMs: number): Buffer {
  return createHmac('sha256', key).update(`${id}\n${expiresMs}`).digest().subarray(0, SIGNATURE_BYTES);
}

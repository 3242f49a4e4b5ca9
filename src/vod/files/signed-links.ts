/** Signed file links: path, expiry, the id of the token that asked for it, and a signature over them. Any machine with the server key can verify them. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { acceptedKeys, type PreviousKey } from '../../lib/server-keys.js';
import type { Clock, FileLinks } from '../../ports/index.js';

const HOUR_MS = 3_600_000;
/** The expiry is a full hour, so that a link stays the same for an hour and remains cacheable. */
const LIFE_HOURS = 25;
const SIGNATURE_BYTES = 16;

export class SignedLinks implements FileLinks {
  readonly #key: Uint8Array;
  readonly #previous: PreviousKey | undefined;
  readonly #clock: Clock;

  constructor(serverKey: Uint8Array, clock: Clock, previous?: PreviousKey) {
    this.#key = linkKey(serverKey);
    this.#previous = previous && { ...previous, key: linkKey(previous.key) };
    this.#clock = clock;
  }

  sign(path: string, tokenId?: string): string {
    const expires = Math.floor(this.#clock.wallMs() / HOUR_MS) + LIFE_HOURS;
    const mac = signature(this.#key, path, expires, tokenId).toString('base64url');
    const token = tokenId === undefined ? '' : `&t=${tokenId}`;
    return `${path}?e=${expires.toString(36)}${token}&s=${mac}`;
  }

  /** Compares the signature in constant time. `undefined`: the link is not valid. */
  read(path: string, query: URLSearchParams): { readonly tokenId?: string } | undefined {
    const tokenId = query.get('t') ?? undefined;
    if (!this.#isSigned(path, query, tokenId)) return undefined;
    return tokenId === undefined ? {} : { tokenId };
  }

  #isSigned(path: string, query: URLSearchParams, tokenId: string | undefined): boolean {
    const end = query.get('e') ?? '';
    const expires = /^[0-9a-z]{1,8}$/.test(end) ? Number.parseInt(end, 36) : 0;
    if (expires * HOUR_MS <= this.#clock.wallMs()) return false;
    const given = Buffer.from(query.get('s') ?? '', 'base64url');
    if (given.length !== SIGNATURE_BYTES) return false;
    return acceptedKeys(this.#key, this.#previous, this.#clock.wallMs()).some((key) =>
      timingSafeEqual(given, signature(key, path, expires, tokenId)),
    );
  }
}

/** A separate key for each use of the server key. */
function linkKey(serverKey: Uint8Array): Buffer {
  return createHmac('sha256', serverKey).update('airlock file links 1').digest();
}

function signature(key: Uint8Array, path: string, expires: number, tokenId: string | undefined): Buffer {
  const signed = tokenId === undefined ? `${path}\n${expires}` : `${path}\n${expires}\n${tokenId}`;
  return createHmac('sha256', key).update(signed).digest().subarray(0, SIGNATURE_BYTES);
}

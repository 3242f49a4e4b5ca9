/** Signed file links that need no token: path, expiry and a signature over both. Any machine with the server key can verify them. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock, FileLinks } from '../../ports/index.js';

const HOUR_MS = 3_600_000;
/** The expiry is a full hour, so that a link stays the same for an hour and remains cacheable. */
const LIFE_HOURS = 25;
const SIGNATURE_BYTES = 16;

export class SignedLinks implements FileLinks {
  readonly #key: Uint8Array;
  readonly #clock: Clock;

  constructor(serverKey: Uint8Array, clock: Clock) {
    // A separate key for each use of the server key.
    this.#key = createHmac('sha256', serverKey).update('airlock file links 1').digest();
    this.#clock = clock;
  }

  sign(path: string): string {
    const expires = Math.floor(this.#clock.wallMs() / HOUR_MS) + LIFE_HOURS;
    return `${path}?e=${expires.toString(36)}&s=${this.#signature(path, expires).toString('base64url')}`;
  }

  /** Compares the signature in constant time. */
  allows(path: string, query: URLSearchParams): boolean {
    const end = query.get('e') ?? '';
    const expires = /^[0-9a-z]{1,8}$/.test(end) ? Number.parseInt(end, 36) : 0;
    if (expires * HOUR_MS <= this.#clock.wallMs()) return false;
    const given = Buffer.from(query.get('s') ?? '', 'base64url');
    return given.length === SIGNATURE_BYTES && timingSafeEqual(given, this.#signature(path, expires));
  }

  #signature(path: string, expires: number): Buffer {
    return createHmac('sha256', this.#key).update(`${path}\n${expires}`).digest().subarray(0, SIGNATURE_BYTES);
  }
}

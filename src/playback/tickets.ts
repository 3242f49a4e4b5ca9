/**
 * Tickets: `<expiry in base 36 seconds>.<token id>.<base64url of HMAC-SHA256>`, valid for one live video until they expire
 * or the token that they were issued to ends. A ticket of the server itself has no token id. Players
 * send them in the query, where an access token would end up in browser histories and logs.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { acceptedKeys, type PreviousKey } from '../lib/server-keys.js';
import { TICKET_MAX_MS } from './context/limits.js';

const TICKET = /^([0-9a-z]{1,9})\.(?:(\d{1,20})\.)?([A-Za-z0-9_-]{43})$/;

export interface Ticket {
  readonly endMs: number;
  readonly tokenId?: string;
}

export class Tickets {
  readonly #key: Uint8Array;
  readonly #previous: PreviousKey | undefined;

  constructor(key: Uint8Array, previous?: PreviousKey) {
    this.#key = ticketKey(key);
    this.#previous = previous && { ...previous, key: ticketKey(previous.key) };
  }

  /** `untilMs`: milliseconds since 1970, rounded down to the second. */
  issue(liveVideoId: string, untilMs: number, tokenId?: string): string {
    const end = Math.floor(untilMs / 1000).toString(36);
    const mac = macOf(this.#key, liveVideoId, end, tokenId).toString('base64url');
    return tokenId === undefined ? `${end}.${mac}` : `${end}.${tokenId}.${mac}`;
  }

  /** A ticket that was signed for this live video, expired or not. `undefined`: by none of the keys. */
  read(ticket: string, liveVideoId: string, nowMs: number): Ticket | undefined {
    const [, end = '', tokenId, mac = ''] = TICKET.exec(ticket) ?? [];
    if (end === '') return undefined;
    const offered = Buffer.from(mac, 'base64url');
    const isSigned = acceptedKeys(this.#key, this.#previous, nowMs).some((key) => {
      const expected = macOf(key, liveVideoId, end, tokenId);
      return offered.length === expected.length && timingSafeEqual(offered, expected);
    });
    if (!isSigned) return undefined;
    const endMs = Number.parseInt(end, 36) * 1000;
    return tokenId === undefined ? { endMs } : { endMs, tokenId };
  }

  opens(ticket: string, liveVideoId: string, nowMs: number): boolean {
    const signed = this.read(ticket, liveVideoId, nowMs);
    return signed !== undefined && isOpen(signed, nowMs);
  }
}

function ticketKey(serverKey: Uint8Array): Buffer {
  return createHmac('sha256', serverKey).update('airlock playback tickets').digest();
}

function macOf(key: Uint8Array, liveVideoId: string, end: string, tokenId: string | undefined): Buffer {
  const signed = tokenId === undefined ? `${liveVideoId}\n${end}` : `${liveVideoId}\n${end}\n${tokenId}`;
  return createHmac('sha256', key).update(signed).digest();
}

export function isOpen({ endMs }: Ticket, nowMs: number): boolean {
  return endMs > nowMs && endMs <= nowMs + TICKET_MAX_MS;
}

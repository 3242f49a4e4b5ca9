/**
 * Tickets: `<expiry in base 36 seconds>.<token id>.<base64url of HMAC-SHA256>`, valid for one live video until they expire
 * or the token that they were issued to ends. A ticket of the server itself has no token id. Players
 * send them in the query, where an access token would end up in browser histories and logs.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { TICKET_MAX_MS } from './limits.js';

const TICKET = /^([0-9a-z]{1,9})\.(?:(\d{1,20})\.)?([A-Za-z0-9_-]{43})$/;

export interface Ticket {
  readonly endMs: number;
  readonly tokenId?: string;
}

export class Tickets {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = createHmac('sha256', key).update('airlock playback tickets').digest();
  }

  /** `untilMs`: milliseconds since 1970, rounded down to the second. */
  issue(liveVideoId: string, untilMs: number, tokenId?: string): string {
    const end = Math.floor(untilMs / 1000).toString(36);
    const mac = this.#mac(liveVideoId, end, tokenId).toString('base64url');
    return tokenId === undefined ? `${end}.${mac}` : `${end}.${tokenId}.${mac}`;
  }

  /** A ticket that this key signed for this live video, expired or not. `undefined`: not signed by this key. */
  read(ticket: string, liveVideoId: string): Ticket | undefined {
    const [, end = '', tokenId, mac = ''] = TICKET.exec(ticket) ?? [];
    if (end === '') return undefined;
    const offered = Buffer.from(mac, 'base64url');
    const expected = this.#mac(liveVideoId, end, tokenId);
    if (offered.length !== expected.length || !timingSafeEqual(offered, expected)) return undefined;
    const endMs = Number.parseInt(end, 36) * 1000;
    return tokenId === undefined ? { endMs } : { endMs, tokenId };
  }

  opens(ticket: string, liveVideoId: string, nowMs: number): boolean {
    const signed = this.read(ticket, liveVideoId);
    return signed !== undefined && isOpen(signed, nowMs);
  }

  #mac(liveVideoId: string, end: string, tokenId: string | undefined): Buffer {
    const signed = tokenId === undefined ? `${liveVideoId}\n${end}` : `${liveVideoId}\n${end}\n${tokenId}`;
    return createHmac('sha256', this.#key).update(signed).digest();
  }
}

export function isOpen({ endMs }: Ticket, nowMs: number): boolean {
  return endMs > nowMs && endMs <= nowMs + TICKET_MAX_MS;
}

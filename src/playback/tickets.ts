/**
 * Tickets: `<expiry in base 36 seconds>.<base64url of HMAC-SHA256>`, valid for one live video until they expire. Players
 * send them in the query, where an access token would end up in browser histories and logs.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { TICKET_MAX_MS } from './limits.js';

const TICKET = /^([0-9a-z]{1,9})\.([A-Za-z0-9_-]{43})$/;

export class Tickets {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = createHmac('sha256', key).update('airlock playback tickets').digest();
  }

  /** `untilMs`: milliseconds since 1970, rounded down to the second. */
  issue(liveVideoId: string, untilMs: number): string {
    const end = Math.floor(untilMs / 1000).toString(36);
    return `${end}.${this.#mac(liveVideoId, end).toString('base64url')}`;
  }

  /** Expiry of a ticket that this key signed for this live video, expired or not. `undefined`: not signed by this key. */
  endOf(ticket: string, liveVideoId: string): number | undefined {
    const [, end = '', mac = ''] = TICKET.exec(ticket) ?? [];
    if (end === '') return undefined;
    const offered = Buffer.from(mac, 'base64url');
    const expected = this.#mac(liveVideoId, end);
    if (offered.length !== expected.length || !timingSafeEqual(offered, expected)) return undefined;
    return Number.parseInt(end, 36) * 1000;
  }

  opens(ticket: string, liveVideoId: string, nowMs: number): boolean {
    const endMs = this.endOf(ticket, liveVideoId);
    return endMs !== undefined && endMs > nowMs && endMs <= nowMs + TICKET_MAX_MS;
  }

  #mac(liveVideoId: string, end: string): Buffer {
    return createHmac('sha256', this.#key).update(`${liveVideoId}\n${end}`).digest();
  }
}

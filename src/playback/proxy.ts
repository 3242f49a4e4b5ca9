/**
 * The HTTP paths of playback:
 *
 *   GET /playback/<live video id>                 → a ticket and the paths, for callers who may watch
 *   GET /playback/<live video id>.flv             → HTTP-FLV, or WebSocket-FLV with an upgrade
 *   GET /playback/<live video id>.<track>.flv     → the same of another video track, as for HLS below
 *   GET /playback/<live video id>/index.m3u8      → HLS, whose segments lie beside it
 *
 * The ticket is in `?ticket=`; a request without one must carry its own authorization.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Grant, PlaybackDeps } from './context/deps.js';
import { TICKET_MS } from './context/limits.js';
import { streamIdOf } from './context/quality.js';
import type { HlsPreviews } from './previews/hls-previews.js';
import { isOpen, type Tickets } from './tickets.js';
import type { Audiences } from './viewers/audiences.js';
import { FORWARDED, type Forwarder } from './viewers/forward.js';
import { HttpSink, PLAYER_HEADERS, refuseUpgrade, WebSocketSink } from './viewers/sinks.js';

export const PLAYBACK_PATH = '/playback';

export interface ProxyDeps extends Pick<PlaybackDeps, 'authorize' | 'tokens' | 'clock' | 'log' | 'others'> {
  readonly tickets: Tickets;
  readonly audiences: Audiences;
  readonly previews: HlsPreviews;
  readonly forwarder: Forwarder;
}

interface Admission extends Grant {
  /** `used`: by an expired ticket of this server, allowed if the server of the preview knows the player. */
  readonly may: 'yes' | 'used' | 'no';
}

interface Admitted extends Grant {
  /** Address at the server that receives the broadcast; `undefined` when this one serves it. */
  readonly home?: string;
}

interface Target {
  readonly liveVideoId: string;
  /** 0: the first video track. */
  readonly track: number;
  readonly what: 'ticket' | 'flv' | 'playlist' | 'segment';
  /** File name of a segment. */
  readonly name: string;
  readonly ticket: string | undefined;
}

const PATH = /^(?:\/playback)?\/(\d{1,19})(?:\.([1-9])(?=\.flv$|\/))?(\.flv|\/index\.m3u8|\/(\d{1,9}\.ts))?$/;
const WEB_SOCKET_KEY = /^[+/0-9A-Za-z]{22}==$/;

/** A request that ends with an error status. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const REFUSED = {
  'not-running': [404, 'The broadcast is not live on this server.'],
  full: [503, 'Too many viewers. Try again later.'],
} as const;

function refusalOf(why: keyof typeof REFUSED): Refusal {
  const [status, message] = REFUSED[why];
  return new Refusal(status, message);
}

export class PlaybackProxy {
  readonly #deps: ProxyDeps;

  constructor(deps: ProxyDeps) {
    this.#deps = deps;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    // `close` handles the error.
    response.on('error', () => response.destroy());
    this.#serve(request, response).catch((error: unknown) => {
      const refusal = error instanceof Refusal ? error : undefined;
      if (refusal === undefined && !response.destroyed) this.#deps.log.warn({ error }, 'playback request failed');
      if (response.headersSent) response.destroy();
      else refuse(response, refusal?.status ?? 500, refusal?.message ?? 'Internal playback error.');
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = targetOf(request.url ?? '');
    if (target === undefined) throw new Refusal(404, 'Not found.');
    if (request.method === 'OPTIONS') {
      const allow = { 'access-control-allow-methods': 'GET, HEAD', 'access-control-allow-headers': 'authorization' };
      response.writeHead(204, { ...PLAYER_HEADERS, ...allow, 'access-control-max-age': '86400' }).end();
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refusal(405, 'Only GET is supported.');
    const { home, tokenId } = await this.#admit(request, target);
    if (response.destroyed) return;
    this.#endWithToken(response, tokenId);
    if (target.what === 'ticket') this.#giveTicket(target.liveVideoId, tokenId, response);
    else if (request.method === 'HEAD') response.writeHead(200, PLAYER_HEADERS).end();
    else if (home !== undefined) this.#deps.forwarder.answer(home, response);
    else if (target.what === 'flv') await this.#watch(target, response);
    else if (target.what === 'playlist') await this.#playlist(request, target, response);
    else await this.#segment(request, target, response);
  }

  /** @throws Refusal */
  async #admit(request: IncomingMessage, target: Target): Promise<Admitted> {
    const { previews, forwarder } = this.#deps;
    const { may, ...grant } = await this.#mayWatch(request, target);
    const home =
      may === 'no' || target.what === 'ticket' ? undefined : await this.#home(request, target, { may, ...grant });
    if (home === undefined) {
      const session = sessionOf(request, target.ticket);
      if (may === 'yes' || (may === 'used' && previews.knows(streamIdOf(target), session))) return grant;
      throw new Refusal(403, 'A ticket or an access token for this broadcast is required.');
    }
    if (forwarder.isFull) throw refusalOf('full');
    return { home, ...grant };
  }

  async #mayWatch(request: IncomingMessage, { ticket, liveVideoId, what }: Target): Promise<Admission> {
    const { tickets, clock, authorize, log } = this.#deps;
    // A ticket cannot issue another ticket: a shared link expires at its stated time.
    const signed =
      ticket === undefined || what === 'ticket' ? undefined : tickets.read(ticket, liveVideoId, clock.wallMs());
    try {
      const { endMs: _, ...byTicket } = signed ?? { endMs: 0 };
      const isUsable = signed !== undefined && (await this.#isValid(byTicket));
      if (isUsable && isOpen(signed, clock.wallMs())) return { may: 'yes', ...byTicket };
      const grant = await authorize(request, liveVideoId);
      if (grant !== undefined) return { may: 'yes', ...grant };
      const isPreview = what === 'playlist' || what === 'segment';
      if (isUsable && isPreview) return { may: 'used', ...byTicket };
    } catch (error) {
      log.warn({ error, liveVideoId }, 'playback authorization failed');
    }
    return { may: 'no' };
  }

  async #isValid({ tokenId }: Grant): Promise<boolean> {
    return tokenId === undefined || (await this.#deps.tokens.isValid(tokenId));
  }

  #endWithToken(connection: ServerResponse | Duplex, tokenId: string | undefined): void {
    if (tokenId === undefined) return;
    connection.once(
      'close',
      this.#deps.tokens.watch(tokenId, () => connection.destroy()),
    );
  }

  /** The URL of this request at the server that receives the broadcast, with a ticket in place of any token. */
  async #home(
    request: IncomingMessage,
    { liveVideoId, ticket = '' }: Target,
    { may, tokenId }: Admission,
  ): Promise<string | undefined> {
    const { others, tickets, clock } = this.#deps;
    if (others === undefined || request.headers[FORWARDED] !== undefined) return undefined;
    const origin = await others.home(liveVideoId);
    if (origin === undefined) return undefined;
    const [path = ''] = (request.url ?? '').split('?');
    const nowMs = clock.wallMs();
    const isGood = may === 'used' || tickets.opens(ticket, liveVideoId, nowMs);
    // The expiry is rounded so that the ticket stays the same for a while: HLS players are told apart by it.
    const untilMs = (Math.floor(nowMs / TICKET_MS) + 2) * TICKET_MS;
    const inside = path.startsWith(PLAYBACK_PATH) ? path : PLAYBACK_PATH + path;
    return `${origin}${inside}?ticket=${isGood ? ticket : tickets.issue(liveVideoId, untilMs, tokenId)}`;
  }

  #giveTicket(liveVideoId: string, tokenId: string | undefined, response: ServerResponse): void {
    const untilMs = this.#deps.clock.wallMs() + TICKET_MS;
    const ticket = this.#deps.tickets.issue(liveVideoId, untilMs, tokenId);
    const flv = `${PLAYBACK_PATH}/${liveVideoId}.flv?ticket=${ticket}`;
    const hls = `${PLAYBACK_PATH}/${liveVideoId}/index.m3u8?ticket=${ticket}`;
    answer(response, 200, { ticket, expires: new Date(untilMs).toISOString(), flv_path: flv, hls_path: hls });
  }

  async #watch(target: Target, response: ServerResponse): Promise<void> {
    const joined = await this.#deps.audiences.join(streamIdOf(target), new HttpSink(response));
    if ('refused' in joined) throw refusalOf(joined.refused);
    response.on('close', () => joined.viewer.left());
    if (response.destroyed) joined.viewer.left();
  }

  /**
   * For the `upgrade` event of `HttpListener`, which handles the socket's errors. False: not a playback path; the socket is
   * untouched.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const target = targetOf(request.url ?? '');
    if (target === undefined || !(request.url ?? '').startsWith(PLAYBACK_PATH)) return false;
    this.#upgrade(request, socket, head, target).catch((error: unknown) => {
      if (error instanceof Refusal) {
        refuseUpgrade(socket, error.status);
        return;
      }
      this.#deps.log.warn({ error }, 'playback request failed');
      socket.destroy();
    });
    return true;
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, target: Target): Promise<void> {
    const key = request.headers['sec-websocket-key'] ?? '';
    const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket' && WEB_SOCKET_KEY.test(key);
    if (target.what !== 'flv' || !isWebSocket) throw new Refusal(400, 'not a WebSocket request');
    const { home, tokenId } = await this.#admit(request, target);
    if (socket.destroyed) return;
    this.#endWithToken(socket, tokenId);
    if (home !== undefined) {
      this.#deps.forwarder.upgrade(home, key, socket, head);
      return;
    }
    const joined = await this.#deps.audiences.join(streamIdOf(target), new WebSocketSink(socket, head, key));
    if ('refused' in joined) throw refusalOf(joined.refused);
    socket.on('close', () => joined.viewer.left());
    if (socket.destroyed) joined.viewer.left();
  }

  async #playlist(request: IncomingMessage, target: Target, response: ServerResponse): Promise<void> {
    const { ticket } = target;
    const playlist = await this.#deps.previews.playlist(streamIdOf(target), sessionOf(request, ticket));
    if ('refused' in playlist) throw refusalOf(playlist.refused);
    // Players do not add the playlist's query to the segments' URLs.
    const query = ticket === undefined ? '' : `?ticket=${ticket}`;
    const text = playlist.text.replace(/^\d+\.ts$/gm, (name) => `${name}${query}`);
    response.writeHead(200, { ...PLAYER_HEADERS, 'content-type': 'application/vnd.apple.mpegurl' }).end(text);
  }

  async #segment(request: IncomingMessage, target: Target, response: ServerResponse): Promise<void> {
    const session = sessionOf(request, target.ticket);
    const file = await this.#deps.previews.segment(streamIdOf(target), session, target.name);
    if (file === undefined) throw new Refusal(404, 'Segment not found or expired.');
    response.writeHead(200, { ...PLAYER_HEADERS, 'content-type': 'video/mp2t' });
    await pipeline(file.createReadStream(), response);
  }
}

function targetOf(url: string): Target | undefined {
  const at = url.indexOf('?');
  const [, liveVideoId = '', track = '0', kind = '', name = ''] = PATH.exec(at < 0 ? url : url.slice(0, at)) ?? [];
  if (liveVideoId === '') return undefined;
  const ticket = at < 0 ? undefined : (new URLSearchParams(url.slice(at)).get('ticket') ?? undefined);
  const what = kind === '' ? 'ticket' : kind === '.flv' ? 'flv' : name === '' ? 'playlist' : 'segment';
  return { liveVideoId, track: Number(track), what, name, ticket };
}

/** Identifies a player for counting. Two players at one address with the same ticket count as one. */
function sessionOf(request: IncomingMessage, ticket: string | undefined): string {
  const hash = createHash('sha256')
    .update(request.headers.authorization ?? '')
    .update('\n')
    .update(ticket ?? '');
  return `${request.socket.remoteAddress ?? ''} ${hash.digest('base64')}`;
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...PLAYER_HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent || response.destroyed) return;
  if (status === 503) response.setHeader('retry-after', '5');
  answer(response, status, { error: { message, code: status } });
}

/**
 * Assembles playback for the composition root: node-media-server in a child process on loopback, fed by a relay while
 * there are viewers, behind tickets.
 */

import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { Supervisor } from './child/supervisor.js';
import type { PlaybackDeps } from './context/deps.js';
import { TICKET_MS } from './context/limits.js';
import { HlsPreviews } from './previews/hls-previews.js';
import { PLAYBACK_PATH, PlaybackProxy } from './proxy.js';
import type { RelaySource } from './relay/relay.js';
import { Tickets } from './tickets.js';
import { Audiences, type ViewerCount } from './viewers/audiences.js';
import { Forwarder } from './viewers/forward.js';

export interface PlaybackLinks {
  /** Paths with a ticket in the query. A WebSocket at `flv` carries the same stream. */
  readonly flv: string;
  readonly hls: string;
}

export interface LinkOptions {
  /** Milliseconds since 1970; ten minutes from now by default. */
  readonly untilMs?: number | undefined;
  /** The token that the links are for; they end with it. */
  readonly tokenId?: string | undefined;
}

export interface Playback {
  readonly mounts: readonly { readonly path: string; readonly handler: RequestListener }[];
  /** For the `upgrade` event of the HTTP server. False: not a playback path; the socket is untouched. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** A ticket is a bearer credential: it lets its holder watch the broadcast until `untilMs`. */
  ticket(liveVideoId: string, untilMs: number, tokenId?: string): string;
  /** Paths for players, without scheme and host. */
  links(liveVideoId: string, options?: LinkOptions): PlaybackLinks;
  viewers(liveVideoId: string): ViewerCount;
  /** Number of viewers of all broadcasts. */
  readonly watching: number;
  /** Number of viewers forwarded to the servers that receive their broadcasts. */
  readonly forwarded: number;
  /** Broadcasts that are currently relayed to the child. */
  readonly relayed: readonly string[];
  /** How often the child was started. */
  readonly childStarts: number;
  /** How often the child ended unexpectedly. */
  readonly childEnds: number;
  /** Ports of the child on 127.0.0.1; empty while it does not run. */
  readonly childPorts: readonly number[];
  /** A stream starts (again): viewers may wait for it. */
  begun(liveVideoId: string): void;
  /** The broadcast has ended: disconnects its viewers. */
  ended(liveVideoId: string): void;
  close(): Promise<void>;
}

/** `relays`: of the streams that other processes receive. */
export function createPlayback(deps: PlaybackDeps & { readonly relays: RelaySource }): Playback {
  const { clock, log } = deps;
  const supervisor = new Supervisor({ clock, log, child: deps.child });
  const audiences = new Audiences({ ...deps, supervisor });
  const previews = new HlsPreviews({ ...deps, audiences });
  const tickets = new Tickets(deps.ticketKey, deps.previousTicketKey);
  const forwarder = new Forwarder(deps.others?.tls ?? {}, log);
  const proxy = new PlaybackProxy({ ...deps, tickets, audiences, previews, forwarder });
  return {
    mounts: [{ path: PLAYBACK_PATH, handler: (request, response) => proxy.handle(request, response) }],
    upgrade: (request, socket, head) => proxy.upgrade(request, socket, head),
    ticket: (liveVideoId, untilMs, tokenId) => tickets.issue(liveVideoId, untilMs, tokenId),
    links(liveVideoId, { untilMs = clock.wallMs() + TICKET_MS, tokenId } = {}) {
      const query = `?ticket=${tickets.issue(liveVideoId, untilMs, tokenId)}`;
      const path = `${PLAYBACK_PATH}/${liveVideoId}`;
      return { flv: `${path}.flv${query}`, hls: `${path}/index.m3u8${query}` };
    },
    viewers: (liveVideoId) => audiences.count(liveVideoId),
    get watching() {
      return audiences.watching;
    },
    get forwarded() {
      return forwarder.count;
    },
    get relayed() {
      return audiences.relayed;
    },
    get childStarts() {
      return supervisor.starts;
    },
    get childEnds() {
      return supervisor.ends;
    },
    get childPorts() {
      const { endpoint } = supervisor;
      return endpoint === undefined ? [] : [endpoint.httpPort, endpoint.rtmpPort];
    },
    begun: (liveVideoId) => audiences.begun(liveVideoId),
    ended: (liveVideoId) => audiences.ended(liveVideoId),
    async close() {
      forwarder.close();
      audiences.close();
      await previews.close();
      await supervisor.close();
    },
  };
}

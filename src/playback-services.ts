/** Playback joined to the core: what runs here can be watched by whoever may read the broadcast. */
import cluster from 'node:cluster';
import type { IncomingMessage } from 'node:http';
import { FeedAccess } from './api/access/feed-access.js';
import { viewersKey } from './api/nodes/live-video.js';
import type { LiveVideoData } from './broadcast/documents.js';
import { publicUrls } from './config/public-urls.js';
import type { CoreBase } from './core.js';
import type { RelayHosts, RunningStreams } from './playback/deps.js';
import { createPlayback, type Playback } from './playback/playback.js';
import { RelayHost } from './playback/relay-host.js';
import type { FromRelayHost, ToRelayHost } from './playback/relay-messages.js';
import { findTools } from './probe/tool-paths.js';

/** Told again every 5 s; a count that nobody tells any more is none. */
const COUNT_KEPT_MS = 15_000;
const TOKEN = /^(?:Bearer|OAuth)\s+(\S+)\s*$/i;

export function openPlayback(base: CoreBase): Playback {
  const { config, log, clock, ids, store, serverKey } = base;
  const access = new FeedAccess({ store, clock, ids, config: { publicHttpUrl: publicUrls(config, config).httpUrl } });
  const authorize = async (request: IncomingMessage, liveVideoId: string): Promise<boolean> => {
    const token = TOKEN.exec(request.headers.authorization ?? '')?.[1];
    const viewer = token === undefined ? undefined : await access.authenticate(token);
    if (viewer === undefined) return false;
    const live = await store.get<LiveVideoData>(liveVideoId);
    return live?.kind === 'live_video' && (await viewer.mayRead(live));
  };
  const playback = createPlayback({
    clock,
    log,
    dataDir: config.dataDir,
    ffmpeg: findTools(config).ffmpeg,
    ticketKey: serverKey,
    streams: streamsOf(base),
    hosts: config.workers > 1 ? workersAsHosts() : undefined,
    authorize,
    onViewers: (liveVideoId, count) => {
      store.setVolatile(viewersKey(liveVideoId), count, COUNT_KEPT_MS).catch((error: unknown) => {
        log.debug({ error }, 'who watches could not be told now');
      });
    },
  });
  const end = playback.close;
  return Object.assign(playback, {
    close: async () => {
      await end();
      access.close();
    },
  });
}

/** In a process that only receives: its streams are relayed for viewers of the first process. */
export function openRelayHost(base: CoreBase): RelayHost {
  const host = new RelayHost({
    streams: streamsOf(base),
    log: base.log,
    send: (message) => {
      if (process.connected) process.send?.(message);
    },
  });
  process.on('message', (message: object) => {
    if ('playback' in message) host.onMessage(message as ToRelayHost);
  });
  return host;
}

function streamsOf(base: CoreBase): RunningStreams {
  return {
    attach: (liveVideoId, tap) => base.ingest().publications.attachTap(liveVideoId, tap),
    detach: (liveVideoId, tap) => base.ingest().publications.detachTap(liveVideoId, tap),
  };
}

function workersAsHosts(): RelayHosts {
  const send = (id: number | string, message: ToRelayHost): void => {
    const worker = cluster.workers?.[id];
    if (worker?.isConnected()) worker.send(message);
  };
  return {
    send,
    sendAll: (message) => {
      for (const id of Object.keys(cluster.workers ?? {})) send(id, message);
    },
    onMessage: (listener) => {
      cluster.on('message', (worker, message: object) => {
        if ('playback' in message) listener(worker.id, message as FromRelayHost);
      });
    },
    onGone: (listener) => cluster.on('exit', (worker) => listener(worker.id)),
  };
}

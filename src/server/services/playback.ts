/** Connects playback to the core. Watching a running broadcast needs permission to read it. */
import type { IncomingMessage } from 'node:http';
import { FeedAccess } from '../../api/access/feed-access.js';
import { LiveAudience } from '../../api/resources/insights/live-audience.js';
import type { LiveVideoData } from '../../lifecycle/documents.js';
import type { Grant, RelayHosts } from '../../playback/context/deps.js';
import { createPlayback, type Playback } from '../../playback/playback.js';
import { RemoteRelays } from '../../playback/relay/remote-relays.js';
import { type StateMessage, TOPIC, VOLATILE } from '../../ports/index.js';
import type { Cage } from '../../probe/cage/cage.js';
import { enterPreview } from '../../probe/preview-run.js';
import { findTools } from '../../probe/tool-paths.js';
import type { Calls } from '../rpc/calls.js';
import { toolSettings } from './sandbox.js';
import { otherServers } from './server-registry.js';
import type { Shared } from './shared.js';
import { addressOf } from './shared.js';

/** Viewer counts are reported every 5 s and expire when they are not updated. */
const COUNT_KEPT_MS = 15_000;
const TOKEN = /^(?:Bearer|OAuth)\s+(\S+)\s*$/i;

/** `cage`: for previews. The streams are received by other processes of this server. */
export function openPlayback(shared: Shared, cage: Cage, calls: Calls): Playback {
  const { config, log, clock, ids, refusals, strangers, store, serverKey, previousKey, urls } = shared;
  const { httpUrl: publicHttpUrl } = urls;
  const access = new FeedAccess({ store, clock, ids, config: { publicHttpUrl }, refusals });
  const authorize = async (request: IncomingMessage, liveVideoId: string): Promise<Grant | undefined> => {
    const token = TOKEN.exec(request.headers.authorization ?? '')?.[1];
    const viewer = token === undefined ? undefined : await access.authenticate(token, addressOf(config, request));
    if (viewer === undefined) return undefined;
    const live = await store.objects.get<LiveVideoData>(liveVideoId);
    const mayWatch = live?.kind === 'live_video' && (await viewer.mayWatch(live));
    return mayWatch ? { tokenId: viewer.tokenId } : undefined;
  };
  const audience = new LiveAudience({ store, clock, log });
  const hosts: RelayHosts = {
    send: (host, message) => calls.tell('ingest', host, 'relay', message),
    sendAll: (message) => calls.tellAll('ingest', 'relay', message),
  };
  const relays = new RemoteRelays(hosts, clock);
  const playback = createPlayback({
    relays,
    clock,
    log: strangers,
    dataDir: config.dataDir,
    caged: (folder) => enterPreview(cage, findTools(toolSettings(config)).ffmpeg, folder),
    ticketKey: serverKey,
    previousTicketKey: previousKey,
    others: store.spansMachines ? otherServers({ store, log, config }) : undefined,
    authorize,
    tokens: access,
    insights: {
      watch: (liveVideoId) => audience.watch(liveVideoId),
      count(liveVideoId, viewers) {
        audience.count(liveVideoId, viewers);
        store.volatile.set(VOLATILE.viewers(liveVideoId), viewers, COUNT_KEPT_MS).catch((error: unknown) => {
          log.debug({ error }, 'the viewer count could not be stored');
        });
      },
    },
  });
  calls.serve('web', {
    relay(message, host) {
      if (message.playback !== 'begun') relays.take(host, message);
      else for (const liveVideoId of message.liveVideoIds) playback.begun(liveVideoId);
    },
  });
  calls.onGone((host) => relays.gone(host));
  // The broadcast may have ended in any process.
  const unsubscribe = store.bus.subscribe(TOPIC.state, (message) => {
    const { liveVideoId, stream } = message as StateMessage;
    if (stream === 'ended') playback.ended(liveVideoId);
  });
  const end = playback.close;
  return Object.assign(playback, {
    close: async () => {
      unsubscribe();
      await end();
      await audience.close();
      access.close();
    },
  });
}

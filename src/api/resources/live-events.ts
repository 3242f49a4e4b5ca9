/** New comments and reactions of a broadcast as server-sent events, until the client disconnects or its token ends. */

import { z } from 'zod';
import type { LiveVideoData, OwnerData } from '../../lifecycle/documents.js';
import { TOPIC } from '../../ports/index.js';
import type { Call } from '../graph/call.js';
import { operation } from '../graph/registry.js';
import { graphTime } from '../graph/values.js';
import type { Engagement } from './shared/engagement.js';

const PING_MS = 15_000;
/** Bounds the memory of a slow client: the oldest events are dropped. */
const WAITING_MAX = 1_000;

export const liveEvents = (what: 'comment' | 'reaction') =>
  operation<LiveVideoData, z.ZodObject>(z.object({}), async (call, live) => ({
    body: {},
    events: follow(call, what, live.data.videoId),
  }));

async function* follow(call: Call, what: Engagement['what'], videoId: string): AsyncGenerator<string> {
  const waiting: Engagement[] = [];
  let wake: () => void = () => undefined;
  const signal = call.signalOf();
  let ended = false;
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort);
  const ping = setInterval(() => wake(), PING_MS);
  const stop = call.services.store.bus.subscribe(TOPIC.engagement, (message) => {
    const event = message as Engagement;
    if (event.what !== what || event.videoId !== videoId) return;
    if (waiting.length >= WAITING_MAX) waiting.shift();
    waiting.push(event);
    wake();
  });
  const { viewer } = call;
  const release =
    viewer === undefined
      ? undefined
      : call.services.tokens.watch(viewer.tokenId, () => {
          ended = true;
          wake();
        });
  try {
    yield ': ping\n\n';
    while (!signal.aborted && !ended) {
      const event = waiting.shift();
      if (event) {
        yield `data: ${JSON.stringify(await view(call, event))}\n\n`;
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (waiting.length === 0 && !signal.aborted && !ended) yield ': ping\n\n';
    }
  } finally {
    clearInterval(ping);
    stop();
    release?.();
    signal.removeEventListener('abort', onAbort);
  }
}

async function view(call: Call, event: Engagement): Promise<object> {
  const from = await call.services.store.objects.get<OwnerData>(event.fromId);
  const name = from?.data.name ?? '';
  if (event.what === 'reaction') return { reaction_type: event.type, from: { id: event.fromId, name } };
  return {
    created_time: graphTime(event.atMs, call),
    id: event.id,
    view_id: event.fromId,
    from: { id: event.fromId, name },
    message: event.message,
  };
}

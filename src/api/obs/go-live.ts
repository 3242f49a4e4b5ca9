/**
 * `POST /obs/go-live`: OBS asks for its encoder settings before it connects. OBS shows a text only of HTTP 200 with
 * `status`, so every refusal is one. The stream key is in the body and appears in no log and no answer.
 */
import type { IncomingMessage } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import { bandwidthRefusal } from '../../golive/advice.js';
import { answerTo, type GoLiveAnswer, refusalAnswer, refusalText } from '../../golive/answer.js';
import type { EncoderPlan } from '../../golive/plan.js';
import { configId, fps, type GoLiveRequest } from '../../golive/request.js';
import { addressGroup } from '../../lib/address-group.js';
import { addressOf } from '../../lib/client-address.js';
import { defined } from '../../lib/objects.js';
import { withTimeout } from '../../lib/timeout.js';
import type { LiveVideoData } from '../../lifecycle/documents.js';
import type { EncoderSetup, VideoTrackSetup } from '../../lifecycle/encoder-setup.js';
import { type PublishCheck, VOLATILE_GROUP } from '../../ports/index.js';
import type { Services } from '../graph/call.js';
import { ByteCollector, drainBody } from '../http/body.js';
import type { BodyMemory } from '../http/body-budget.js';
import { wishesOf } from '../resources/shared/encoder-wishes.js';
import { lastBroadcast } from './last-broadcast.js';
import { parseGoLive } from './request.js';

const LIMITS = {
  /** A request of OBS with eight GPUs is below 4 KiB. */
  bodyBytes: 64 * 1024,
  /** OBS gives up after 5 s, its own connect and TLS included. */
  answerMs: 1_000,
  /**
   * Answers of an owner, one for each of its stream keys. An encoder may connect with its answer for a day; a broadcast keeps
   * the one it was set up by. 10,000 are about 4 MB.
   */
  setups: { max: 10_000, ttlMs: 24 * 3_600_000 },
} as const;

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

const UNREADABLE =
  'The server cannot read the request of this OBS. Use OBS 30.2 or newer, or a normal stream URL and key.';
const SLOW = 'The server takes too long to answer right now. Try again in a minute.';

export type GoLiveServices = Services & { readonly bodyMemory: BodyMemory };

export function goLive(services: GoLiveServices): RequestHandler {
  return (request, response) => {
    handle(services, request, response).catch((error: unknown) => {
      services.log.error({ err: error }, 'encoder settings could not be answered');
      if (!response.headersSent) send(response, 500, { error: 'internal error' });
    });
  };
}

/** For a person who opens the URL in a browser. */
export const askWithPost: RequestHandler = ({ method }, response, next) => {
  if (method !== 'GET') return next();
  response.set('Allow', 'POST');
  send(response, 405, { error: 'OBS asks this URL for its settings, with POST' });
};

async function handle(services: GoLiveServices, request: Request, response: Response): Promise<void> {
  const { isProxy = () => false, goLiveAnswerMs = LIMITS.answerMs } = services.config;
  const address = addressOf(request, isProxy);
  const text = await bodyOf(request, services.bodyMemory, address);
  if (text === undefined) {
    await drainBody(request);
    response.set('Connection', 'close');
    send(response, 413, { error: `the body is larger than ${LIMITS.bodyBytes} bytes, incomplete or one of too many` });
    return;
  }
  const asked = parseGoLive(text, request.headers['user-agent'] ?? '');
  if (asked === undefined) {
    send(response, 200, refusalAnswer({ service: 'IVS', schemaVersion: '' }, refusalText(UNREADABLE)));
    return;
  }
  const slow = () => refusalAnswer(asked, refusalText(SLOW));
  send(response, 200, await withTimeout(answer(services, asked, address), goLiveAnswerMs, slow));
}

async function answer(services: Services, asked: GoLiveRequest, address: string): Promise<GoLiveAnswer> {
  const check = await services.checkPublish(asked.authentication, address);
  const client = `${asked.client.name} ${asked.client.version}`.slice(0, 100);
  if (!check.accepted) {
    services.log.info({ address, client, reason: check.reason }, 'encoder settings refused');
    return refusalAnswer(asked, refusalText(check.description));
  }
  const isQuiet = !check.opensNew && wasSetUp(check.live?.data);
  const refusal = isQuiet ? undefined : bandwidthRefusal(asked);
  if (refusal !== undefined) {
    services.log.info({ address, client, maxKbps: asked.maxAggregateKbps }, 'encoder settings refused: bandwidth');
    return refusalAnswer(asked, refusalText(refusal));
  }
  const id = configId(services.ids.next());
  const [base, last] = await Promise.all([
    streamUrlBase(services, check),
    lastBroadcast(services, asked, {
      ownerId: check.ownerId,
      liveVideoId: check.opensNew ? undefined : check.live?.id,
      tellsFindings: !isQuiet,
    }),
  ]);
  const { answer, plans, audioTracks } = answerTo(asked, {
    configId: id,
    streamUrlBase: base,
    isQuiet,
    ...defined({ last }),
    ...(check.live === undefined ? {} : { wishes: wishesOf(check.live.data) }),
  });
  const [first, ...others] = plans.map(trackOf) as [VideoTrackSetup, ...VideoTrackSetup[]];
  const setup: EncoderSetup = {
    configId: id,
    atMs: services.clock.wallMs(),
    ownerId: check.ownerId,
    client,
    ...first,
    ...(others.length === 0 ? {} : { moreTracks: others }),
    ...(audioTracks === 1 ? {} : { audioTracks }),
  };
  const group = VOLATILE_GROUP.encoderSetups(check.ownerId);
  await services.store.volatile.setIn(group, check.keyId, setup, LIMITS.setups);
  const encoder = answer.encoder_configurations[0]?.type;
  services.log.info({ address, client, liveVideoId: check.live?.id, configId: id, encoder }, 'encoder set up');
  return answer;
}

/** The user read the warnings before this broadcast went live. */
function wasSetUp(data: LiveVideoData | undefined): boolean {
  return data?.status === 'LIVE' && data.encoderSetup !== undefined;
}

function trackOf({ width, height, frameRate, videoKbps }: EncoderPlan): VideoTrackSetup {
  return { width, height, fps: fps(frameRate), videoKbps };
}

type Accepted = Extract<PublishCheck, { accepted: true }>;

async function streamUrlBase({ broadcasts }: Services, { live, ownerId }: Accepted): Promise<string> {
  const urls = live === undefined ? await broadcasts.persistentUrls(ownerId) : broadcasts.urls(live);
  if (urls === undefined) throw new Error('an accepted stream key has no URL');
  return urls.base;
}

/** Undefined if the body is too large, ends early, or the bodies of all requests use too much memory. */
async function bodyOf(request: IncomingMessage, memory: BodyMemory, address: string): Promise<string | undefined> {
  const held = memory.open(addressGroup(address));
  const collector = new ByteCollector(LIMITS.bodyBytes, (bytes) => held.reserve(bytes));
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      if (!collector.push(chunk as Buffer)) return undefined;
    }
    return collector.bytes().toString('utf8');
  } catch {
    return undefined;
  } finally {
    held.release();
  }
}

function send(response: Response, status: number, body: object): void {
  if (!response.destroyed) response.status(status).set(HEADERS).json(body);
}

/** Turns an HTTP request into a call of the graph, and its result into the response. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import { addressGroup } from '../../lib/address-group.js';
import { addressOf, type IsProxy, originOf } from '../../lib/client-address.js';
import { ServiceError } from '../../spec/service-errors.js';
import { unknownPath } from '../access/faults.js';
import { hashToken } from '../access/tokens.js';
import { QueryBudget } from '../graph/budget.js';
import type { Call, Services } from '../graph/call.js';
import { dispatch, type Routing } from '../graph/dispatch.js';
import { JsonChunks } from '../graph/json-text.js';
import type { Registry } from '../graph/registry.js';
import { CallWork } from '../graph/work.js';
import { mergeParams, noParams, readQuery } from '../params/raw.js';
import { type Body, type BodyServices, drainBody, hasBody, IncomingBody } from './body.js';
import { type CallParts, makeCall, methodOf, segmentsOf, splitTarget, tokenOf } from './call-of.js';
import { errorAnswer } from './envelope.js';
import { jsonOf } from './json-chunks.js';
import type { LargeAnswers } from './large-answers.js';
import type { RateLimits, Use } from './rate-limits.js';
import { corsPreflight, nextTrace, sendAnswer, sendEvents, sendFile } from './respond.js';

export function graphEntry(services: HttpServices, routing: Routing, limits: RateLimits): RequestListener {
  return (request, response) => {
    if (request.method === 'OPTIONS') corsPreflight(response);
    else void handle(services, routing, limits, request, response);
  };
}

/** Services of calls and of incoming bodies. */
export type HttpServices = Services & BodyServices & { readonly largeAnswers: LargeAnswers };

/** `body` is set before it is read, so that its memory and files are released in every case. */
interface Reading {
  body?: IncomingBody;
  call?: Call;
}

async function handle(
  services: HttpServices,
  routing: Routing,
  limits: RateLimits,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const trace = nextTrace();
  const reading: Reading = {};
  const { turns } = services;
  const address = addressOf(request, isProxyOf(services));
  const memory = services.largeAnswers.open(() => reading.call?.viewer?.ownerId ?? addressGroup(address));
  const work = new CallWork({ budget: new QueryBudget(memory), turns, isGone: () => response.destroyed });
  try {
    const counts = !limits.isExempt(address, request);
    const addressCounted = counts ? limits.countAddress(address) : undefined;
    // A read starts while it is being counted: with a remote store the two share one round trip.
    if (addressCounted && (request.method !== 'GET' || hasBody(request))) await addressCounted;
    const counting = counts ? countingOf(limits, address) : undefined;
    const handling = { trace, reading, address, work, counting };
    const called = callOf(services, routing.graph, request, response, handling);
    const [call] = await Promise.all([called, addressCounted]);
    reading.call = call;
    const tokenUse = counting?.tokenUse;
    const usage = tokenUse === undefined ? 0 : limits.enforceTokenLimit(await tokenUse, call.viewer);
    const answer = await dispatch(routing, call);
    if (answer.events) await sendEvents(response, answer.events, trace);
    else if (answer.file) sendFile(response, answer.file, trace);
    else {
      const body = await jsonOf(answer.body, work.budget.bytes, turns);
      const served = { version: call.version, token: call.token?.value };
      sendAnswer(request, response, { ...answer, body }, trace, usageHeaders(usage), served);
    }
  } catch (error) {
    work.end();
    memory.release();
    services.refusals.note(error, { address, viewer: reading.call?.viewer });
    await reading.body?.release();
    await drainBody(request);
    fail(services, request, response, trace, error);
  } finally {
    work.end();
    memory.keepUntilRead(response, work.budget.bytes);
    if (reading.body) await reading.body.release();
  }
}

/** The counting of a request's calls against the limits of its address and its token. */
interface Counting {
  /** Once `countToken` was called. */
  tokenUse?: Promise<Use>;
  readonly countToken: (token: string) => Promise<Use>;
  readonly countCalls: NonNullable<CallParts['countCalls']>;
}

function countingOf(limits: RateLimits, address: string): Counting {
  const counting: Counting = {
    countToken: (token) => {
      counting.tokenUse = limits.countToken(hashToken(token));
      return counting.tokenUse;
    },
    countCalls: async (calls, { token, viewer }) => {
      await limits.countAddress(address, calls);
      if (token !== undefined) limits.enforceTokenLimit(await limits.countToken(hashToken(token.value), calls), viewer);
    },
  };
  return counting;
}

const noProxy: IsProxy = () => false;
const isProxyOf = ({ config }: Services): IsProxy => config.isProxy ?? noProxy;

const NO_USAGE = ['x-app-usage', '{"call_count":0,"total_cputime":0,"total_time":0}'];

function usageHeaders(percent: number): readonly string[] {
  return percent === 0
    ? NO_USAGE
    : ['x-app-usage', JSON.stringify({ call_count: percent, total_cputime: percent, total_time: percent })];
}

/** Answers what Express refuses itself, such as a path that it cannot decode. */
export function refuseOther(services: Services): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const refusal = error instanceof URIError ? unknownPath(request.path) : error;
    fail(services, request, response, nextTrace(), refusal);
  };
}

function fail(
  services: Services,
  request: IncomingMessage,
  response: ServerResponse,
  trace: string,
  error: unknown,
): void {
  if (response.destroyed) return;
  if (response.headersSent) {
    services.log.error({ trace, err: error }, 'response aborted');
    response.destroy();
    return;
  }
  const answer = errorAnswer(error, trace, services.log);
  const wait = error instanceof ServiceError ? error.shape.data?.retry_after_s : undefined;
  const extra = typeof wait === 'number' ? ['Retry-After', String(wait)] : [];
  // Unread bytes of a refused body would precede the next request on this connection.
  if (!request.complete) extra.push('Connection', 'close');
  sendAnswer(request, response, { ...answer, body: JsonChunks.of(answer.body) }, trace, extra);
}

interface Handling {
  readonly trace: string;
  readonly reading: Reading;
  readonly address: string;
  readonly work: CallWork;
  /** `undefined`: the client is exempt. */
  readonly counting: Counting | undefined;
}

async function callOf(
  services: HttpServices,
  graph: Registry,
  request: IncomingMessage,
  response: ServerResponse,
  { trace, reading, address, work, counting }: Handling,
): Promise<Call> {
  const { path, query } = splitTarget(request.url ?? '');
  const queryParams = readQuery(query, noParams());
  const { version, segments } = segmentsOf(path);
  const { authorization } = request.headers;
  let body: Body | undefined;
  if (hasBody(request)) {
    const origin = { address: addressGroup(address), segments, query: queryParams, authorization };
    reading.body = new IncomingBody(services, origin);
    body = await reading.body.read(request);
  }
  const params = body === undefined ? queryParams : mergeParams(mergeParams(noParams(), queryParams), body.params);
  return makeCall(services, graph, {
    method: methodOf(request.method ?? '', params),
    segments,
    version,
    params,
    files: body?.files ?? NO_FILES,
    received: body?.received ?? NO_RECEIVED,
    token: tokenOf(queryParams, body?.params ?? NO_PARAMS, authorization),
    countToken: counting?.countToken,
    countCalls: counting?.countCalls,
    trace,
    originOf: () => linkOrigin(services, request),
    address,
    signalOf: signalOf(response),
    work,
  });
}

const NO_PARAMS = noParams();
const NO_FILES: Body['files'] = new Map();
const NO_RECEIVED: Body['received'] = new Map();

/** The origin that the client used, so that links work for it. */
function linkOrigin(services: Services, request: IncomingMessage): string {
  const { protocol, host } = originOf(request, isProxyOf(services));
  return /^[\w.\-:[\]]+$/.test(host) ? `${protocol}://${host}` : services.config.publicHttpUrl;
}

/** One signal and one listener per request, shared by all calls of a batch. */
function signalOf(response: ServerResponse): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    if (controller !== undefined) return controller.signal;
    const made = new AbortController();
    controller = made;
    response.once('close', () => made.abort());
    if (response.destroyed) made.abort();
    return made.signal;
  };
}

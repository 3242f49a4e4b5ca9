/** Builds a call from a request, single or batched. */
import type { ReceivedFile } from '../../ports/index.js';
import type { GraphMethod } from '../../spec/graph.js';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { Access } from '../access/access.js';
import { unknownPath } from '../access/faults.js';
import { API_LIMITS } from '../context/limits.js';
import { Loader } from '../context/loader.js';
import type { Viewer } from '../context/viewer.js';
import type { Call, CallToken, FilePart, Services } from '../graph/call.js';
import { costOf } from '../graph/cost.js';
import { prefetchOf } from '../graph/prefetch.js';
import type { Registry } from '../graph/registry.js';
import type { CallWork } from '../graph/work.js';
import { type RawParams, textParam } from '../params/raw.js';
import { GRAPH_VERSION, OLDEST_VERSION } from './respond.js';

const VERSION = /^v\d{1,3}\.\d{1,3}$/;
const VERSION_LIKE = /^v\d[\d.]*$/;

export interface CallParts {
  readonly method: GraphMethod;
  readonly segments: readonly string[];
  readonly version: string;
  readonly params: RawParams;
  readonly files: ReadonlyMap<string, FilePart>;
  readonly received: ReadonlyMap<string, ReceivedFile>;
  readonly token: CallToken | undefined;
  readonly address: string | undefined;
  /** Counts a call against the token's rate limit; awaited together with the first reads. */
  readonly countToken?: ((token: string) => Promise<unknown>) | undefined;
  readonly countCalls?: Call['countCalls'];
  readonly trace: string;
  readonly originOf: () => string;
  readonly signalOf: () => AbortSignal;
  readonly work: CallWork;
}

/** Parameters that every call reads. */
const TEXTS = ['date_format', 'debug'] as const;

/** @throws ServiceError 190 for a bad token, 100 for a bad proof, an object in place of a text, and fields that cost too much */
export async function makeCall(services: Services, graph: Registry, parts: CallParts): Promise<Call> {
  const { params, token, work } = parts;
  // A write in progress is completed even if its client disconnects.
  const loader = new Loader(services.store.objects, parts.method === 'GET' ? work : undefined);
  const nowMs = services.clock.wallMs();
  // A stranger's query is not parsed, unless its reads can be prefetched together with the token.
  const isEarly =
    loader.canPrefetch && (isShort(params.fields) || services.tokens.known(token?.value ?? '') !== undefined);
  let refusal = isEarly ? await reserve(graph, parts, nowMs) : undefined;
  const viewer =
    token === undefined
      ? undefined
      : await viewerOf(services, graph, parts, token.value, loader, nowMs, isEarly && refusal === undefined);
  if (token !== undefined) {
    services.tokens.checkProof(token.value, textParam(params, 'appsecret_proof'), textParam(params, 'appsecret_time'));
  }
  // Without a token nothing is read.
  if (!isEarly && token !== undefined) refusal = await reserve(graph, parts, nowMs);
  if (refusal !== undefined) throw refusal;
  for (const name of TEXTS) textParam(params, name);
  return {
    services,
    method: parts.method,
    segments: parts.segments,
    version: parts.version,
    params,
    files: parts.files,
    received: parts.received,
    token,
    address: parts.address,
    viewer,
    access: new Access(viewer, loader, nowMs),
    loader,
    nowMs,
    work,
    countCalls: parts.countCalls,
    trace: parts.trace,
    originOf: parts.originOf,
    signalOf: parts.signalOf,
  };
}

const isShort = (fields: unknown) =>
  fields === undefined || (typeof fields === 'string' && fields.length <= API_LIMITS.unverifiedFields);

/** Returns the refusal rather than throwing it: it is reported only after the token is verified. */
async function reserve(
  graph: Registry,
  { method, segments, params, work }: CallParts,
  nowMs: number,
): Promise<ServiceError | undefined> {
  try {
    await work.reserve(costOf(graph, { method, segments, params, nowMs }));
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Loads the token's viewer, and prefetches the predicted reads of the call in the same round trip. */
async function viewerOf(
  services: Services,
  graph: Registry,
  { method, segments, params, countToken }: CallParts,
  token: string,
  loader: Loader,
  nowMs: number,
  mayPrefetch: boolean,
): Promise<Viewer> {
  const { tokens } = services;
  const { generation } = tokens;
  const counted = countToken?.(token);
  if (mayPrefetch) {
    const hasPendingRecords = (id: string) => services.recordsStored?.(id) !== undefined;
    const viewer = tokens.known(token);
    const wanted = prefetchOf(graph, { method, segments, params, token, viewer, nowMs, hasPendingRecords });
    if (wanted !== undefined) await Promise.all([loader.prefetch(wanted), counted]);
  }
  await counted;
  return tokens.read(token, { method, segments }, loader, generation);
}

export function splitTarget(url: string): { path: string; query: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** The version that serves a requested one. @throws ServiceError 2500 for one newer than the newest */
function servedVersion(wanted: string): string {
  const number = Number(wanted.slice(1));
  if (number > Number(GRAPH_VERSION.slice(1))) throw unknownPath(`/${wanted}; the newest version is ${GRAPH_VERSION}`);
  return number < Number(OLDEST_VERSION.slice(1)) ? OLDEST_VERSION : wanted;
}

/** @throws ServiceError 2500 for a malformed version or escape */
export function segmentsOf(path: string): { version: string; segments: string[] } {
  const segments: string[] = [];
  for (const part of path.split('/')) {
    if (part === '') continue;
    try {
      segments.push(part.includes('%') ? decodeURIComponent(part) : part);
    } catch (error) {
      if (error instanceof URIError) throw unknownPath(path);
      throw error;
    }
  }
  const first = segments[0] ?? '';
  if (VERSION.test(first)) return { version: servedVersion(first), segments: segments.slice(1) };
  if (VERSION_LIKE.test(first)) throw unknownPath(`/${first}`);
  return { version: GRAPH_VERSION, segments };
}

export function methodOf(method: string, params: RawParams): GraphMethod {
  if (method === 'HEAD') return 'GET';
  const wanted = method === 'POST' ? (textParam(params, 'method') ?? 'POST').toUpperCase() : method;
  if (wanted === 'GET' || wanted === 'POST' || wanted === 'DELETE') return wanted;
  throw parameterError(
    `Unsupported ${wanted.slice(0, 20).toLowerCase()} request. The methods are GET, POST and DELETE`,
  );
}

/** Precedence: query, then body, then header. */
export function tokenOf(query: RawParams, body: RawParams, authorization: string | undefined): CallToken | undefined {
  const inQuery = textParam(query, 'access_token');
  if (inQuery) return { value: inQuery, carrier: 'query' };
  const inBody = textParam(body, 'access_token');
  if (inBody) return { value: inBody, carrier: 'body' };
  const inHeader = /^(?:Bearer|OAuth)\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1];
  return inHeader === undefined ? undefined : { value: inHeader, carrier: 'header' };
}

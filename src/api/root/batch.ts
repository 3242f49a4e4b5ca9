/**
 * Batch requests: up to 50 calls in one request, each with its own response. A call may refer to results of earlier
 * named calls. Independent calls run concurrently, except that writes keep their order.
 */
import { z } from 'zod';
import type { ReceivedFile } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { tokenRequired } from '../access/faults.js';
import { API_LIMITS } from '../context/limits.js';
import type { Answer, Call, FilePart } from '../graph/call.js';
import { dispatch, type Routing } from '../graph/dispatch.js';
import { JsonChunks } from '../graph/json-text.js';
import type { Registry } from '../graph/registry.js';
import { CallWork } from '../graph/work.js';
import { makeCall, methodOf, segmentsOf, splitTarget, tokenOf } from '../http/call-of.js';
import { errorAnswer } from '../http/envelope.js';
import { jsonOf } from '../http/json-chunks.js';
import { etagOf, GRAPH_HEADERS, nextTrace } from '../http/respond.js';
import { bool, json, list, object, text } from '../params/kinds.js';
import { parseParams } from '../params/parse.js';
import { mergeParams, noParams, parseJson, type RawParams, readQuery } from '../params/raw.js';
import { fillReferences, referencedNames } from './references.js';

const operationParam = object({
  method: text({ max: 20 }).optional(),
  relative_url: text({ max: 16_384 }),
  body: text({ max: API_LIMITS.bodyBytes }).optional(),
  name: text({ max: 200 }).optional(),
  depends_on: text({ max: 200 }).optional(),
  omit_response_on_success: bool().optional(),
  attached_files: text({ max: 1000 }).optional(),
  attachedFiles: text({ max: 1000 }).optional(),
  access_token: text({ max: 1000 }).optional(),
  headers: json().optional(),
});

type BatchOperation = z.output<typeof operationParam>;

const params = z.object({
  batch: list(operationParam, { max: API_LIMITS.batchCalls }),
  include_headers: bool().optional(),
});

/** Parameters of the batch that each call without its own takes over. */
const OF_ALL_CALLS = ['date_format', 'debug'] as const;

interface Done {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function runBatch(routing: Routing, call: Call): Promise<Answer> {
  if (call.token === undefined) throw tokenRequired();
  const { batch, include_headers: includeHeaders = true } = parseParams(params, call.params);
  // The request itself was already counted as one call.
  if (batch.length > 1) await call.countCalls?.(batch.length - 1, call);
  const byName = new Map(
    batch.flatMap((each, index) => (each.name === undefined ? [] : [[each.name, index] as const])),
  );
  const needs = batch.map((each, index) => dependencies(each, byName, index));
  const used = new Set(needs.flat());
  const results: Promise<Done | undefined>[] = [];
  let lastWrite: Promise<unknown> = Promise.resolve();
  // Dependencies precede their dependents, so one pass is enough and there are no cycles.
  for (const [index, each] of batch.entries()) {
    const writes = (each.method ?? 'GET').toUpperCase() !== 'GET';
    const after: Promise<unknown> = writes ? lastWrite : Promise.resolve();
    const inputs = (needs[index] ?? []).map((need) => results[need]);
    const result = after.then(async () => run(routing, call, each, await Promise.all(inputs), byName, results));
    if (writes) lastWrite = result;
    results.push(result);
  }
  const done = await Promise.all(results);
  const body = batch.map((each, index) => {
    const result = done[index];
    const omit = each.omit_response_on_success ?? (each.name !== undefined && used.has(index));
    if (result === undefined || (omit && result.status === 200)) return null;
    const headers = Object.entries(result.headers).map(([name, value]) => ({ name, value }));
    return { code: result.status, ...(includeHeaders ? { headers } : {}), body: result.text };
  });
  return { body };
}

/** @throws ServiceError 100 for a name that no earlier call has */
function dependencies(each: BatchOperation, byName: ReadonlyMap<string, number>, index: number): number[] {
  const names = [each.depends_on, ...referencedNames(each.relative_url), ...referencedNames(each.body ?? '')];
  return names.flatMap((name) => {
    if (name === undefined || name === '') return [];
    const found = byName.get(name);
    if (found === undefined || found >= index) {
      throw parameterError(`Param batch[${index}] must depend on an earlier call - got "${name}".`);
    }
    return [found];
  });
}

/** `undefined` if a dependency failed. */
async function run(
  routing: Routing,
  outer: Call,
  each: BatchOperation,
  inputs: readonly (Done | undefined)[],
  byName: ReadonlyMap<string, number>,
  results: readonly Promise<Done | undefined>[],
): Promise<Done | undefined> {
  if (inputs.some((input) => input === undefined || input.status !== 200)) return undefined;
  const trace = nextTrace();
  const { budget, turns } = outer.work;
  const work = new CallWork({ budget, turns, isGone: () => outer.work.isOver });
  const received = new Map<string, ReceivedFile>();
  try {
    const filled = (value: string) => fillReferences(value, parsedResults(byName, results));
    const [url, body] = [await filled(each.relative_url), await filled(each.body ?? '')];
    work.check();
    // Awaited only then: else all calls would be admitted before the first is parsed.
    if (work.mustWait) await work.admission();
    work.addValues(Math.ceil((url.length + body.length) / API_LIMITS.charactersPerValue));
    const call = await innerCall(routing.graph, outer, each, url, body, trace, work);
    await receiveVideo(call, received);
    const answer = await dispatch(routing, { ...call, received });
    if (answer.events) throw parameterError('Event streams are not supported in a batch');
    const json = await jsonOf(answer.body, budget.bytes, turns);
    return done(answer.status ?? 200, json, { ...answer.headers }, each.method);
  } catch (error) {
    outer.services.refusals.note(error, outer);
    const { status, body, headers } = errorAnswer(error, trace, outer.services.log);
    return done(status, JsonChunks.of(body), headers, 'POST');
  } finally {
    work.end();
    for (const file of received.values()) {
      const logFailure = (err: unknown) =>
        outer.services.log.warn({ err, path: file.path }, 'cannot discard a received file');
      await file.discard().catch(logFailure);
    }
  }
}

/** Writes a video to disk, as for a single request. Within a batch it is limited to the maximum size of an image. */
async function receiveVideo(call: Call, received: Map<string, ReceivedFile>): Promise<void> {
  const { uploads } = call.services;
  if (uploads === undefined || call.method !== 'POST' || call.segments[1] !== 'videos') return;
  const name = call.params.upload_phase === undefined ? 'source' : 'video_file_chunk';
  const file = call.files.get(name) ?? call.files.get('source');
  if (file === undefined) return;
  received.set(name, await uploads.receive(oneChunk(file.bytes), { fileName: file.fileName }));
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function done(status: number, json: JsonChunks, headers: Record<string, string>, method = 'GET'): Done {
  const text = String(json);
  const etag = status === 200 && method.toUpperCase() === 'GET' ? { ETag: etagOf(json) } : {};
  const type = { 'Content-Type': GRAPH_HEADERS['Content-Type'] ?? '' };
  return { status, text, headers: { ...type, ...etag, ...headers } };
}

async function innerCall(
  graph: Registry,
  outer: Call,
  each: BatchOperation,
  url: string,
  bodyText: string,
  trace: string,
  work: CallWork,
): Promise<Call> {
  const { path, query } = splitTarget(url);
  const queryParams = readQuery(query, noParams());
  const body = bodyParams(bodyText);
  const all = mergeParams(mergeParams(noParams(), queryParams), body);
  const { version, segments } = segmentsOf(path);
  if (all.batch !== undefined) throw parameterError('Batches cannot be nested');
  for (const name of OF_ALL_CALLS) {
    if (all[name] === undefined && outer.params[name] !== undefined) all[name] = outer.params[name];
  }
  const own = each.access_token;
  const token =
    own === undefined
      ? (tokenOf(queryParams, body, undefined) ?? outer.token)
      : ({ value: own, carrier: 'body' } as const);
  // A call with the outer token inherits its proof; a call with its own token needs its own proof.
  if (token === outer.token && all.appsecret_proof === undefined) {
    for (const name of ['appsecret_proof', 'appsecret_time']) {
      if (outer.params[name] !== undefined) all[name] = outer.params[name];
    }
  }
  return makeCall(outer.services, graph, {
    method: methodOf((each.method ?? 'GET').toUpperCase(), all),
    segments,
    version,
    params: all,
    files: attachedFiles(outer, each),
    received: new Map(),
    token,
    trace,
    address: outer.address,
    originOf: outer.originOf,
    signalOf: outer.signalOf,
    work,
  });
}

/** Clients leave the inner body unescaped: only `&` and the first `=` of each part are separators. */
function bodyParams(text: string): RawParams {
  if (text.trimStart().startsWith('{')) {
    try {
      return mergeParams(noParams(), parseJson(text) as object);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  const query = text.replaceAll(/%(?![0-9A-Fa-f]{2})/g, '%25');
  return readQuery(query, noParams());
}

/** Maps named files of the outer request to the file fields of the inner call. */
function attachedFiles(outer: Call, each: BatchOperation): ReadonlyMap<string, FilePart> {
  const names = (each.attached_files ?? each.attachedFiles ?? '').split(',').map((name) => name.trim());
  const files = new Map<string, FilePart>();
  for (const name of names) {
    const file = outer.files.get(name);
    if (file === undefined) continue;
    files.set(name, file);
    for (const alias of ['source', 'captions_file']) if (!files.has(alias)) files.set(alias, file);
  }
  return files;
}

/** Parses each referenced result once. */
function parsedResults(
  byName: ReadonlyMap<string, number>,
  results: readonly Promise<Done | undefined>[],
): (name: string) => Promise<unknown> {
  const parsed = new Map<string, unknown>();
  return async (name) => {
    if (!parsed.has(name)) {
      const { text = 'null' } = (await results[byName.get(name) ?? -1]) ?? {};
      if (text.length > API_LIMITS.bodyBytes) {
        throw parameterError(
          `The result ${name} is too long for a reference: at most ${API_LIMITS.bodyBytes} characters`,
        );
      }
      parsed.set(name, JSON.parse(text));
    }
    return parsed.get(name);
  };
}

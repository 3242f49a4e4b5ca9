/** Calls without a node, by method and path. */
import { z } from 'zod';
import { parameterError } from '../../spec/service-errors.js';
import { unknownPath } from '../access/faults.js';
import { API_LIMITS } from '../context/limits.js';
import type { Answer, Call } from '../graph/call.js';
import { paramsOf, withDebug } from '../graph/debug.js';
import { type RootCall, type RootCalls, runRoute } from '../graph/dispatch.js';
import { bodyData } from '../graph/json-text.js';
import type { Registry } from '../graph/registry.js';
import { resolveNode } from '../graph/resolve.js';
import { list, text } from '../params/kinds.js';
import { parseParams } from '../params/parse.js';
import { runBatch } from './batch.js';
import { encoderParams, encoderSettings } from './encoder-settings.js';
import { debugParams, debugToken, exchangeParams, exchangeToken } from './token-endpoints.js';

const params = z.object({ ids: list(text({ max: 200 }), { max: API_LIMITS.ids }) });

export async function readSeveral(graph: Registry, call: Call): Promise<Answer> {
  const { ids } = parseParams(params, call.params);
  const [edge = null] = call.segments;
  if (ids.length === 0) throw parameterError('Param ids must be a list of at least 1');
  const own = Object.fromEntries(Object.entries(call.params).filter(([name]) => name !== 'ids'));
  const read = new Set(['ids']);
  const entries = await Promise.all(
    [...new Set(ids)].map(async (id): Promise<[string, unknown]> => {
      await call.work.admission();
      const target = await resolveNode(graph, call, id, edge);
      const route = graph.route('GET', target.kind, edge);
      if (route === undefined) throw unknownPath(`/${edge ?? ''}`);
      for (const name of paramsOf(route.handler)) read.add(name);
      const { body } = await runRoute(graph, { ...call, params: own }, target, route, []);
      return [id, bodyData(body)];
    }),
  );
  return withDebug(call, () => [...read], { body: Object.fromEntries(entries) });
}

/** Keyed `METHOD path`. `POST me` exists for clients that send batches to it. */
export function rootCalls(graph: Registry): RootCalls {
  const calls = new Map<string, RootCall>();
  // The response is an array, so `__debug__` is in the responses of the inner calls.
  const batch: RootCall = {
    run: async (call) => {
      if (call.params.batch === undefined) throw parameterError('The parameter batch is required');
      return runBatch({ graph, root: calls }, call);
    },
  };
  const several: RootCall = {
    run: async (call) => {
      if (call.params.ids === undefined) throw unknownPath('/');
      return readSeveral(graph, call);
    },
  };
  const exchange: RootCall = { run: exchangeToken, params: Object.keys(exchangeParams.shape) };
  calls.set('GET ', several);
  calls.set('POST ', batch);
  calls.set('POST me', batch);
  calls.set('GET debug_token', { run: debugToken, params: Object.keys(debugParams.shape) });
  calls.set('GET oauth/access_token', exchange);
  calls.set('POST oauth/access_token', exchange);
  calls.set('GET video_encoder_settings', { run: encoderSettings, params: Object.keys(encoderParams.shape) });
  return calls;
}

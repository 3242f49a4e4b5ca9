/** Root paths: calls without a node. */
import { parameterError } from '../../spec/service-errors.js';
import { unknownPath } from '../access/faults.js';
import type { RootCall, RootCalls } from '../graph/dispatch.js';
import type { Registry } from '../graph/registry.js';
import { runBatch } from './batch.js';
import { encoderParams, encoderSettings } from './encoder-settings.js';
import { readSeveral } from './ids.js';
import { debugParams, debugToken, exchangeParams, exchangeToken } from './token-endpoints.js';

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

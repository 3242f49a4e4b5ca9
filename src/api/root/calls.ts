/** Root paths: calls without a node. */
import { parameterError } from '../../spec/service-errors.js';
import { unknownPath } from '../access/faults.js';
import type { Answer, Call } from '../graph/call.js';
import type { RootCalls } from '../graph/dispatch.js';
import type { Registry } from '../graph/registry.js';
import { runBatch } from './batch.js';
import { encoderSettings } from './encoder-settings.js';
import { readSeveral } from './ids.js';
import { debugToken, exchangeToken } from './token-endpoints.js';

/** Keyed `METHOD path`. `POST me` exists for clients that send batches to it. */
export function rootCalls(graph: Registry): RootCalls {
  const calls = new Map<string, (call: Call) => Promise<Answer>>();
  const batch = async (call: Call): Promise<Answer> => {
    if (call.params.batch === undefined) throw parameterError('The parameter batch is required');
    return runBatch({ graph, root: calls }, call);
  };
  const several = async (call: Call): Promise<Answer> => {
    if (call.params.ids === undefined) throw unknownPath('/');
    return readSeveral(graph, call);
  };
  calls.set('GET ', several);
  calls.set('POST ', batch);
  calls.set('POST me', batch);
  calls.set('GET debug_token', debugToken);
  calls.set('GET oauth/access_token', exchangeToken);
  calls.set('POST oauth/access_token', exchangeToken);
  calls.set('GET video_encoder_settings', encoderSettings);
  return calls;
}

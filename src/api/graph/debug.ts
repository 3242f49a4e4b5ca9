/** `debug=all`: names the parameters that a call ignored, in `__debug__` of its response. */
import { isRecord } from '../../lib/objects.js';
import type { Answer, Call } from './call.js';
import { bodyData } from './json-text.js';
import { pagingShape } from './paging.js';
import { isEdge, READ_NODE, type RouteHandler } from './registry.js';

/** Read for every call, before its route. */
const READ_ALWAYS = ['access_token', 'appsecret_proof', 'appsecret_time', 'date_format', 'debug', 'fields', 'method'];

/** The response with `__debug__`, if the call requested it. `read`: the parameters that its handlers read. */
export function withDebug(call: Call, read: () => readonly string[], answer: Answer): Answer {
  const { debug } = call.params;
  if ((debug !== 'all' && debug !== 'warning') || answer.events !== undefined) return answer;
  const body = bodyData(answer.body);
  if (!isRecord(body)) return answer;
  const messages = ignored(call, read()).map((name) => ({
    message: `The parameter ${name} is ignored`,
    type: 'warning',
  }));
  return { ...answer, body: { ...body, __debug__: { messages } } };
}

function ignored(call: Call, read: readonly string[]): string[] {
  const known = new Set([...READ_ALWAYS, ...read]);
  return Object.keys(call.params)
    .filter((name) => !known.has(name))
    .map((name) => name.slice(0, 100));
}

/** Names of the parameters that a route reads. */
export function paramsOf(handler: RouteHandler): string[] {
  if (handler === READ_NODE) return ['metadata'];
  const names = Object.keys(handler.params.shape);
  return isEdge(handler) ? [...names, ...Object.keys(pagingShape)] : names;
}

/** Sends every parameter of every route as objects, lists and null, in each way in which a request can hold them. */
import { paramsOf } from '../../src/api/graph/debug.js';
import { rootCalls } from '../../src/api/root/calls.js';
import { graphRegistry } from '../../src/api/routes.js';
import { GRAPH, type GraphRoute } from '../../src/spec/graph.js';
import type { ApiHarness } from './api-harness.js';
import { placeholders } from './graph-objects.js';

interface Finding {
  readonly route: string;
  readonly param: string;
  readonly form: string;
  /** No parameter that is read may accept it. */
  readonly isObject: boolean;
  readonly status: number;
  readonly error?: { readonly code: number; readonly message: string; readonly is_transient: boolean };
}

interface Target {
  readonly route: GraphRoute;
  readonly param: string;
}

interface Form {
  readonly name: string;
  /** Query, or undefined. */
  readonly query?: (param: string) => string;
  /** Text of a JSON value, sent in a body. */
  readonly json?: string;
}

const encode = encodeURIComponent;
const inBrackets = (keys: string): Form => ({
  name: `brackets ${keys}`,
  query: (param) => `${encode(param)}${encode(keys)}=1`,
});
const inText = (text: string): Form => ({
  name: `text ${text}`,
  query: (param) => `${encode(param)}=${encode(text)}`,
});
const inJson = (json: string): Form => ({ name: `json ${json}`, json });

/** Values whose conversion to text or a number throws, or reaches a prototype. */
const VALUES = [
  '{}',
  '[]',
  'null',
  '{"a":{"b":[{}]}}',
  '[{}]',
  '[null]',
  '[[]]',
  '[[{"a":1}],"b"]',
  '{"0":{}}',
  '{"__proto__":{"x":1}}',
  '{"toString":1,"valueOf":{}}',
  '{"constructor":{"prototype":null}}',
];
const KEYS = ['[a]', '[]', '[0][]', '[a][b][c]', '[__proto__]', '[__proto__][x]', '[toString]', '[constructor][x]'];

const FORMS: readonly Form[] = [...KEYS.map(inBrackets), ...VALUES.map(inText), ...VALUES.map(inJson)];
/** An object that no conversion accepts. The text of one is a text, so it is not among these. */
const OBJECTS: readonly Form[] = [inBrackets('[a][b]'), inJson('{"a":{"b":1}}')];

/** Read before the route is known, so tried on one route of each kind. */
const OF_EVERY_ROUTE = [
  'access_token',
  'appsecret_proof',
  'appsecret_time',
  'date_format',
  'debug',
  'fields',
  'method',
];
const ONE_OF_EACH_KIND = [
  'GET /{video-id}',
  'GET /{video-id}/comments',
  'POST /{video-id}',
  'GET /',
  'GET /debug_token',
];
/** Of a route that reads these itself. */
const OF_ROOT: Readonly<Record<string, readonly string[]>> = {
  'GET /': ['ids'],
  'POST /': ['batch', 'include_headers', 'batch[0]', 'batch[0][method]', 'batch[0][relative_url]', 'batch[0][body]'],
};
const EVENT_STREAM = 'text/event-stream';

function targets(): Target[] {
  const graph = graphRegistry();
  const roots = rootCalls(graph);
  return GRAPH.flatMap((route: GraphRoute) => {
    const entry = route.node === null ? undefined : graph.route(route.method, route.node, route.edge);
    const own =
      entry !== undefined
        ? paramsOf(entry.handler)
        : (OF_ROOT[`${route.method} ${route.path}`] ?? roots.get(`${route.method} ${route.edge}`)?.params ?? []);
    const common = ONE_OF_EACH_KIND.includes(`${route.method} ${route.path}`) ? OF_EVERY_ROUTE : [];
    return [...new Set([...own, ...common])].map((param) => ({ route, param }));
  });
}

/** Parameters without which a route looks at no other. */
const NEEDED: Readonly<Record<string, (ids: Readonly<Record<string, string>>) => Record<string, string>>> = {
  'POST /{page-id}/copyright_references': (ids) => ({ video_id: ids['video-id'] ?? '' }),
  'DELETE /{page-id}/copyright_references': (ids) => ({ video_id: ids['video-id'] ?? '' }),
  'POST /{page-id}/assigned_users': (ids) => ({ user: ids['user-id'] ?? '' }),
  'POST /{group-id}/members': (ids) => ({ member: ids['user-id'] ?? '' }),
  'POST /{group-id}/videos': (ids) => ({ crossposted_video_id: ids['video-id'] ?? '' }),
  'POST /{page-id}/videos': (ids) => ({ crossposted_video_id: ids['video-id'] ?? '' }),
  'POST /{video-id}/comments': () => ({ message: 'Hello' }),
  'POST /{comment-id}/comments': () => ({ message: 'Hello' }),
  'POST /{comment-id}': () => ({ message: 'Hello' }),
  'POST /{video-id}/polls': () => ({ question: 'Tea?', options: 'yes,no' }),
  'POST /{live_video_id}/polls': () => ({ question: 'Tea?', options: 'yes,no' }),
  'POST /{video_poll_id}': () => ({ action: 'SHOW_RESULTS' }),
  'POST /{user-id}/live_videos': () => ({ privacy: 'EVERYONE' }),
  'GET /': (ids) => ({ ids: ids['page-id'] ?? '' }),
  'POST /': () => ({ batch: '[{"method":"GET","relative_url":"me"}]' }),
};

export class ParamSweep {
  readonly #harness: ApiHarness;
  #ids: Readonly<Record<string, string>> | undefined;

  constructor(harness: ApiHarness) {
    this.#harness = harness;
  }

  /** In a sample each parameter gets one object and one other value, in turn. */
  async run(isSample: boolean): Promise<Finding[]> {
    const found: Finding[] = [];
    for (const [index, target] of targets().entries()) {
      for (const forms of [OBJECTS, FORMS]) {
        const at = index % forms.length;
        for (const form of isSample ? forms.slice(at, at + 1) : forms) found.push(await this.#send(target, form));
      }
    }
    return found;
  }

  /** Operators alone change profiles. */
  #tokenFor(key: string): Promise<string> | string {
    const { token, user } = this.#harness;
    return key === 'POST /{user-id}' ? this.#harness.tokenOf(user, { scopes: ['operator'] }) : token;
  }

  async #objects(): Promise<Record<string, string>> {
    const ids = await placeholders(this.#harness);
    // An owner has few of them: those of earlier rounds go.
    const { data } = (await this.#harness.get(`/${this.#harness.page}/forwards`)).body;
    for (const { id } of data) await this.#harness.delete(`/${id}`);
    const target = { url: 'rtmps://live.example.com/app', stream_key: 'a-key' };
    const forward = await this.#harness.post(`/${this.#harness.page}/forwards`, target);
    return { ...ids, 'forward-id': forward.body.id };
  }

  async #send({ route, param }: Target, form: Form): Promise<Finding> {
    this.#ids ??= await this.#objects();
    const ids = this.#ids;
    const key = `${route.method} ${route.path}`;
    const path = route.path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => ids[name] ?? '');
    const { [param.split('[', 1)[0] ?? '']: _replaced, ...others } = NEEDED[key]?.(ids) ?? {};
    const url = new URL(path, this.#harness.url);
    for (const [name, value] of Object.entries(others)) url.searchParams.set(name, value);
    if (form.query) url.search += `${url.search === '' ? '' : '&'}${form.query(param)}`;
    const init: RequestInit = {
      method: form.json === undefined && param !== 'method' ? route.method : 'POST',
      headers: { authorization: `Bearer ${await this.#tokenFor(key)}`, 'content-type': 'application/json' },
      redirect: 'manual',
    };
    if (form.json !== undefined) init.body = bodyOf(route, param, form.json);
    const response = await fetch(url, init);
    if (response.ok && (route.method === 'DELETE' || param === 'method')) this.#ids = undefined;
    const type = response.headers.get('content-type') ?? '';
    if (type.includes(EVENT_STREAM)) await response.body?.cancel();
    const text = type.includes(EVENT_STREAM) ? '' : await response.text();
    const found = { route: key, param, form: form.name, isObject: OBJECTS.includes(form), status: response.status };
    if (response.status < 400) return found;
    return { ...found, error: JSON.parse(text).error };
  }
}

/** As text: a parsed value would lose `__proto__`. */
function bodyOf(route: GraphRoute, param: string, json: string): string {
  const method = route.method === 'POST' || param === 'method' ? [] : [`"method":"${route.method}"`];
  return `{${[...method, `${JSON.stringify(param)}:${json}`].join()}}`;
}

/**
 * Errors of the client: beside 100 a text that is no token, that `fields` cannot parse, or that names no object (`ids=null`, and a
 * path that is only read, without its `method`).
 */
const EXPECTED = [100, 190, 803, 2500];

/** What the sweep must not find. */
export function faultsIn(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ status, error, isObject }) => {
    if (error === undefined) return isObject || status >= 400;
    return status >= 500 || error.is_transient || !EXPECTED.includes(error.code) || (isObject && error.code !== 100);
  });
}

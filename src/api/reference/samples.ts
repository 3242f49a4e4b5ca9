/** How a call looks in a shell and in facebook-nodejs-business-sdk: `x-codeSamples` of the OpenAPI document. */
import type { GraphNode, GraphRoute } from '../../spec/graph.js';

export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** Classes of the SDK. Videos are `AdVideo` there. A poll option has none. */
const SDK_CLASSES: Readonly<Partial<Record<GraphNode, string>>> = {
  group: 'Group',
  page: 'Page',
  user: 'User',
  video: 'AdVideo',
  live_video: 'LiveVideo',
  input_stream: 'LiveVideoInputStream',
  poll: 'VideoPoll',
  comment: 'Comment',
  thumbnail: 'VideoThumbnail',
  post: 'Post',
  error: 'LiveVideoError',
};

/** Edges for which the class has a method, by method of HTTP. Other edges are called by their path. */
const SDK_EDGES: Readonly<Record<GraphRoute['method'], Readonly<Partial<Record<GraphNode, readonly string[]>>>>> = {
  GET: {
    group: ['videos', 'live_videos'],
    page: ['videos', 'live_videos', 'crosspost_whitelisted_pages'],
    user: ['videos', 'live_videos', 'accounts', 'permissions'],
    video: ['thumbnails'],
    live_video: [
      'polls',
      'errors',
      'blocked_users',
      'comments',
      'reactions',
      'crosspost_shared_pages',
      'crossposted_broadcasts',
    ],
    poll: ['poll_options'],
    comment: ['comments', 'likes', 'reactions'],
  },
  POST: {
    group: ['videos', 'live_videos'],
    page: ['videos', 'live_videos'],
    user: ['live_videos'],
    live_video: ['polls', 'input_streams'],
    comment: ['comments', 'likes'],
  },
  DELETE: { user: ['permissions'], comment: ['likes'] },
};

/** Parameters that a sample sends; others are left to the table of parameters. */
const SENT: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  live_videos: { title: 'Morning show', status: 'LIVE_NOW' },
  videos: { title: 'Interview', file_url: 'https://media.example.org/interview.mp4' },
  polls: { question: 'Tea or coffee?', options: ['tea', 'coffee'] },
  comments: { message: 'Good morning' },
  live_video: { title: 'Evening show' },
  video: { title: 'Interview, part 1' },
  poll: { action: 'SHOW_VOTING' },
  comment: { message: 'Good evening' },
  page: { begin_crossposting_handshake: [{ partner_page_id: '123', allow_live: true }] },
  assigned_users: { user: '321', tasks: ['CREATE_CONTENT', 'MODERATE'] },
  group: { privacy: 'CLOSED' },
  members: { member: '321' },
  user: { followers_count: 150 },
  friends: { uid: '321' },
  captions: { default_locale: 'en_US' },
  copyright_references: { video_id: '456', policy: 'monitor' },
  copyright_matches: { match_id: '789', dispute: 'We have a license.' },
  batch: { batch: [{ method: 'GET', relative_url: 'me' }] },
  ids: { ids: ['123', '456'] },
  debug_token: { input_token: 'TOKEN' },
  'oauth/access_token': { grant_type: 'client_credentials', client_id: 'APP_ID', client_secret: 'APP_SECRET' },
};

/** Fields that a sample of a read asks for. */
const ASKED: Readonly<Record<string, string>> = {
  errors: 'error_code,description,timestamp',
  live_video: 'title,status,secure_stream_url',
  live_videos: 'title,status',
  video: 'title,status,length',
  videos: 'title,status',
};

interface Sampled {
  readonly method: GraphRoute['method'];
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
}

function sampled(route: GraphRoute): Sampled {
  const { method, path } = route;
  const name = route.edge || route.node || (method === 'POST' ? 'batch' : 'ids');
  const fields = method === 'GET' && route.node !== null ? ASKED[name] : undefined;
  const isSent = method === 'POST' || route.node === null || name === 'copyright_references';
  const sent = isSent && !(method === 'GET' && route.node !== null) ? SENT[name] : undefined;
  const { policy: _, ...onlyId } = sent ?? {};
  return { method, path, params: { ...(method === 'DELETE' ? onlyId : sent), ...(fields && { fields }) } };
}

/** `file`: the name of a file field, which the sample sends instead of `params`. */
export function samplesOf(route: GraphRoute, version: string, file?: string): readonly CodeSample[] {
  const call = sampled(route);
  return [
    { lang: 'Shell', label: 'curl', source: curl(call, version, file) },
    { lang: 'JavaScript', label: 'facebook-nodejs-business-sdk', source: sdk(route, call, file) },
  ];
}

const variable = (name: string) => name.replaceAll('-', '_').toUpperCase();
const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function curl({ method, path, params }: Sampled, version: string, file: string | undefined): string {
  const place = path.replaceAll(/\{([^}]+)\}/g, (_whole, name: string) => `$${variable(name)}`);
  const lines = [`"$URL/${version}${place}"`, '-H "Authorization: Bearer $TOKEN"'];
  if (method === 'DELETE') lines.push('-X DELETE');
  const entries = Object.entries(params).map(([name, value]) => `${name}=${asText(value)}`);
  if (method === 'GET' && entries.length > 0) lines.push('-G');
  if (method === 'POST' && entries.length === 0 && file === undefined) lines.push('-X POST');
  lines.push(...(file === undefined ? entries.map((each) => `--data-urlencode '${each}'`) : [`-F ${file}=@FILE`]));
  return `curl ${lines.join(' \\\n  ')}`;
}

function sdk(route: GraphRoute, call: Sampled, file: string | undefined): string {
  const { fields, ...rest } = call.params;
  const asked = typeof fields === 'string' ? fields.split(',') : [];
  const args = [quoted(asked), ...(Object.keys(rest).length > 0 ? [quoted(rest)] : [])].join(', ');
  const name = route.node === null ? undefined : SDK_CLASSES[route.node];
  const method = name === undefined ? undefined : sdkMethod(route);
  if (name === undefined || method === undefined) return byPath(call, file);
  return `await new ${name}(${variable(/\{([^}]+)\}/.exec(route.path)?.[1] ?? '')}).${method}(${args});`;
}

function sdkMethod({ method, node, edge }: GraphRoute): string | undefined {
  // Their classes have no `get`.
  const isPlain = node === 'video' || node === 'thumbnail';
  if (edge === null) return { GET: isPlain ? 'read' : 'get', POST: 'update', DELETE: 'delete' }[method];
  if (node === null || !SDK_EDGES[method][node]?.includes(edge)) return undefined;
  const words = edge
    .split('_')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
  return { GET: `get${words}`, POST: `create${words.replace(/s$/, '')}`, DELETE: `delete${words}` }[method];
}

function byPath({ method, path, params }: Sampled, file: string | undefined): string {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? variable(part.slice(1, -1)) : `'${part}'`));
  const args = [`'${method}'`, `[${parts.join(', ')}]`, ...(Object.keys(params).length > 0 ? [quoted(params)] : [])];
  const sent = file === undefined ? args : [...args.slice(0, 2), '{}', `{ ${file}: createReadStream('FILE') }`];
  return `await api.call(${sent.join(', ')});`;
}

/** JavaScript as it is written by hand. */
function quoted(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (Array.isArray(value)) return `[${value.map(quoted).join(', ')}]`;
  if (value === null || typeof value !== 'object') return String(value);
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${name}: ${quoted(each)}`)
    .join(', ')} }`;
}

/**
 * Ids of others: every kind of object, with every edge and method, by the tokens of two foreign owners. What they may not see
 * answers exactly as what does not exist; what they may see does only what anyone may do; and nothing of it changes.
 */

import { GRAPH, type GraphNode } from '../../src/spec/graph.js';
import { ApiHarness } from '../support/api-harness.js';
import { inFull } from '../support/in-full.js';
import { raised } from '../support/store-harness.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const METHODS = ['GET', 'POST', 'DELETE'] as const;
const EDGES = [...new Set(GRAPH.flatMap(({ node, edge }) => (node === null ? [] : [edge])))];
const BATCH = 50;
/** Lists that a write of this interface changes. */
const LISTS = (
  'roles friends blocked videos owned_videos live_videos tagged_videos pairing_offers paired_pages captions thumbnails ' +
  'crosspost_copies shared_posts tags polls comments comments_all likes votes dock_tokens'
).split(' ');
/** Lists of what anyone may do to what they may see. */
const OPEN_LISTS = ['shared_posts', 'likes', 'votes'];

type Kind = Exclude<GraphNode, 'page' | 'group' | 'user'>;
type Objects = Readonly<Record<Kind, string>>;

let harness: ApiHarness;
let foreign: readonly string[];
beforeAll(async () => {
  harness = await ApiHarness.open();
  const page = await harness.owner({ kind: 'page', name: 'Foreign Page', managerId: harness.stranger });
  foreign = [harness.strangerToken, await harness.tokenOf(page)];
});
afterAll(() => harness.close());

/** One object of each kind, on a running broadcast and a recording of the user with this privacy. */
async function objects(privacy: string): Promise<Objects> {
  const live = await harness.live({ privacy }, harness.user);
  await harness.goLive(live);
  await harness.store.records.append([raised(live, 1, 1)]);
  const recorded = await harness.live({ privacy }, harness.user);
  await harness.goLive(recorded);
  await harness.endTo(recorded, 'VOD');
  const video = (await harness.get(`/${recorded}`, { fields: 'video' })).body.video.id;
  const poll = (await harness.post(`/${video}/polls`, { question: 'Q', options: 'a,b', default_open: 'true' })).body;
  const body = new FormData();
  body.set('source', new Blob([PNG]), 't.png');
  await harness.ask('POST', `/${video}/thumbnails`, { body });
  return {
    live_video: live,
    video,
    forward: (await harness.post(`/${live}/forwards`, { url: 'rtmp://target.example/live', stream_key: 'k' })).body.id,
    input_stream: (await harness.get(`/${live}/input_streams`)).body.data[0].id,
    error: `${live}_1_1`,
    poll: poll.id,
    poll_option: poll.option_ids[0],
    comment: (await harness.post(`/${video}/comments`, { message: 'Hi' })).body.id,
    thumbnail: (await harness.get(`/${video}/thumbnails`)).body.data[0].id,
    post: (await harness.post(`/${video}/shared_posts`, { message: 'Look' })).body.id,
  };
}

interface Wanted {
  readonly method: string;
  readonly relative_url: string;
}

interface Answered {
  readonly code: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of the interface are looked at, not typed
  readonly body: any;
}

/** All calls with one token, in batches: a tenth of the time of as many requests. */
async function ask(token: string, calls: readonly Wanted[]): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (let at = 0; at < calls.length; at += BATCH) {
    const reply = await harness.ask('POST', '/', {
      token,
      form: { batch: JSON.stringify(calls.slice(at, at + BATCH)), include_headers: 'false' },
    });
    for (const { code, body } of reply.body) answers.push({ code, body: JSON.parse(body) });
  }
  return answers;
}

const pathOf = (id: string, edge: string | null) => (edge === null ? id : `${id}/${edge}`);

/** What can be seen of an error but for ids and the trace. */
function seen({ code, body }: Answered): string {
  const { fbtrace_id: _, ...error } = body.error ?? { answered: body };
  return `${code} ${JSON.stringify(error).replace(/\d{9,}/g, 'ID')}`;
}

/** Versions of the objects and sizes of their lists: what a write would change. */
async function stateOf(ids: readonly string[], lists = LISTS): Promise<unknown> {
  const versions = (await harness.store.objects.getMany(ids)).map((object) => object?.version);
  const sizes = await Promise.all(
    ids.flatMap((owner) => lists.map((edge) => harness.store.objects.edgeSize({ owner, edge }))),
  );
  return { versions, sizes };
}

inFull(
  'objects that a token may not see answer on every edge and method as missing ones, and do not change',
  async () => {
    const hidden = await objects('SELF');
    const draft = await harness.live({ status: 'UNPUBLISHED' });
    const ids = [...Object.values(hidden), draft];
    const before = await stateOf(ids);
    const never = harness.ids.next();
    const missingOf = (id: string) => id.replace(/^\d+/, never);
    const calls = ids.flatMap((id) =>
      EDGES.flatMap((edge) => METHODS.map((method) => ({ method, id, edge, missing: missingOf(id) }))),
    );
    for (const token of foreign) {
      const answers = await ask(
        token,
        calls.map(({ method, id, edge }) => ({ method, relative_url: pathOf(id, edge) })),
      );
      // The answer for an id that never was depends on method, edge and form of the id alone.
      const forms = [
        ...new Map(calls.map((call) => [`${call.method} ${pathOf(call.missing, call.edge)}`, call])).values(),
      ];
      const expected = new Map<string, string>();
      const missing = forms.map(({ method, missing: id, edge }) => ({ method, relative_url: pathOf(id, edge) }));
      for (const [index, answer] of (await ask(token, missing)).entries()) {
        expected.set(`${missing[index]?.method} ${missing[index]?.relative_url}`, seen(answer));
      }
      expect([...expected.values()].filter((each) => !/^4/.test(each))).toEqual([]);
      const differing = calls.flatMap(({ method, id, edge, missing }, index) => {
        const [got, wanted] = [seen(answers[index]!), expected.get(`${method} ${pathOf(missing, edge)}`)];
        const kind = Object.entries(hidden).find(([, each]) => each === id)?.[0] ?? 'draft';
        return got === wanted ? [] : [{ call: `${method} {${kind}}/${edge ?? ''}`, got, wanted }];
      });
      expect(differing).toEqual([]);
    }
    expect(await stateOf(ids)).toEqual(before);
  },
);

/** What the tokens of others may call on what they may see: reading what is public, and taking part. */
const OPEN = [
  'GET /{group-id}/videos',
  'GET /{page-id}/videos',
  'GET /{user-id}/videos',
  'GET /{video-id}',
  'GET /{video-id}/captions',
  'GET /{video-id}/comments',
  'GET /{video-id}/likes',
  'GET /{video-id}/poll_settings',
  'GET /{video-id}/polls',
  'GET /{video-id}/shared_posts',
  'GET /{video-id}/sponsor_tags',
  'GET /{video-id}/tags',
  'GET /{video-id}/thumbnails',
  'POST /{video-id}/comments',
  'GET /{live-video-id}/polls',
  'GET /{video-poll-id}',
  'GET /{page-id}/live_videos',
  'GET /{group-id}/live_videos',
  'GET /{user-id}/live_videos',
  'GET /{live-video-id}',
  'GET /{live-video-id}/comments',
  'GET /{live-video-id}/likes',
  'GET /{live-video-id}/reactions',
  'GET /{live-video-id}/live_comments',
  'GET /{live-video-id}/live_reactions',
  'GET /{video-id}/sharedposts',
  'POST /{video-id}/shared_posts',
  'POST /{video-id}/sharedposts',
  'POST /{video-id}/likes',
  'DELETE /{video-id}/likes',
  'GET /{video-id}/reactions',
  'GET /{video-id}/picture',
  'GET /{comment-id}',
  'GET /{comment-id}/comments',
  'POST /{comment-id}/comments',
  'GET /{comment-id}/likes',
  'POST /{comment-id}/likes',
  'DELETE /{comment-id}/likes',
  'GET /{comment-id}/reactions',
  'GET /{video-poll-id}/poll_options',
  'GET /{poll-option-id}',
  'POST /{poll-option-id}/votes',
  'GET /{thumbnail-id}',
  'GET /{post-id}',
  'GET /{page-id}',
  'GET /{group-id}',
  'GET /{user-id}',
];

/** Refused by a rule, rather than for its parameters. */
function isRefused({ code, body }: Answered): boolean {
  const { code: error, error_subcode: subcode } = body.error ?? {};
  return code >= 400 && ([10, 200].includes(error) || subcode === 33 || subcode === 'LIVE_VIDEO__NOT_EXIST');
}

test('a token reads and takes part in objects that it may see, and changes nothing else of them', async () => {
  const shown = await objects('EVERYONE');
  const owners = { page: harness.page, group: harness.group, user: harness.user };
  const ids: Readonly<Record<string, string>> = { ...shown, ...owners };
  const state = () =>
    stateOf(
      Object.values(ids),
      LISTS.filter((list) => !OPEN_LISTS.includes(list)),
    );
  const before = await state();
  const routes = GRAPH.flatMap(({ key, method, node, edge }) => {
    const id = node === null ? undefined : ids[node];
    return id === undefined ? [] : [{ key, method, relative_url: pathOf(id, edge) }];
  });
  expect(new Set(GRAPH.map(({ node }) => node)).size).toBe(Object.keys(ids).length + 1);
  for (const token of foreign) {
    const answers = await ask(
      token,
      routes.map(({ method, relative_url }) => ({ method, relative_url })),
    );
    expect(routes.flatMap(({ key }, index) => (isRefused(answers[index]!) ? [] : [key]))).toEqual(OPEN);
  }
  expect(await state()).toEqual(before);
});

test('no field of what a token may see holds a stream key or a token of its owner', async () => {
  const shown = await objects('EVERYONE');
  const owners = { page: harness.page, group: harness.group, user: harness.user };
  const key = (await harness.keyOf(shown.live_video)).split('-').at(-1);
  const owned = (await harness.get(`/${harness.page}`, { fields: 'access_token' })).body.access_token;
  const secrets = [key, owned];
  expect(secrets).toEqual([expect.stringMatching(/.{16}/), expect.stringMatching(/.{16}/)]);
  for (const id of Object.values({ ...shown, ...owners })) {
    const { metadata } = (await harness.get(`/${id}`, { metadata: '1' })).body;
    const fields: readonly string[] = metadata.fields.map(({ name }: { name: string }) => name);
    expect(fields.length).toBeGreaterThan(0);
    for (const token of foreign) {
      const each = fields.map((field) => ({ method: 'GET', relative_url: `${id}?fields=${field}` }));
      const text = JSON.stringify(await ask(token, each));
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  }
});

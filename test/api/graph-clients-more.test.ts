/** Further third-party Graph clients, with only their base URL changed: fb, fbgraph, facebook-js-sdk. */
import { createRequire } from 'node:module';
import { ApiHarness } from '../support/api-harness.js';

const load = createRequire(import.meta.url);
// biome-ignore lint/suspicious/noExplicitAny: the packages bring no types
type Client = any;

let harness: ApiHarness;
let video = '';
beforeAll(async () => {
  harness = await ApiHarness.open();
  video = await harness.video();
});
afterAll(() => harness.close());

test('fb, which asks for v2.3', async () => {
  // It has no setting for the host: its HTTP client sends the requests to the server under test.
  const http: Client = load('request');
  const { Request } = http;
  http.Request = new Proxy(Request, {
    construct: (target, [options]) =>
      new target({ ...options, uri: options.uri.replace('https://graph.facebook.com', harness.url) }),
  });
  const { Facebook }: Client = load('fb');
  const fb = new Facebook({ accessToken: harness.token });
  expect(await fb.api(`/${video}`, { fields: ['id', 'published'] })).toEqual({ id: video, published: true });
  expect(await fb.api(`/${video}`, 'post', { title: 'From fb' })).toEqual({ success: true });
  expect((await fb.api(video, { fields: 'name' })).name).toBe('From fb');
  const batch = [{ method: 'get', relative_url: `${video}?fields=title` }];
  const answers = await fb.api('', 'post', { batch });
  expect(JSON.parse(answers[0].body)).toEqual({ title: 'From fb', id: video });
  const refused = await fb.api('/999').catch((error: Client) => error.response);
  expect(refused.error).toMatchObject({ code: 100, error_subcode: 33 });
});

test('fbgraph', async () => {
  const graph: Client = load('fbgraph');
  graph.setGraphUrl(harness.url);
  graph.setAccessToken(harness.token);
  const ask = (method: string, ...args: unknown[]): Promise<Client> =>
    new Promise((resolve, reject) =>
      graph[method](...args, (error: Client, answer: Client) => (error ? reject(error) : resolve(answer))),
    );
  expect(await ask('post', `${video}/comments`, { message: 'From fbgraph' })).toEqual({ id: expect.any(String) });
  const list = await ask('get', `${video}/comments`, { limit: 5 });
  expect(list.data[0]).toMatchObject({ message: 'From fbgraph', from: { id: harness.user } });
  const answers = await ask('batch', [{ method: 'GET', relative_url: `${video}?fields=id` }]);
  expect(JSON.parse(answers[0].body)).toEqual({ id: video });
  expect(await ask('del', list.data[0].id)).toEqual({ success: true });
  await expect(ask('get', '999')).rejects.toMatchObject({ code: 100, error_subcode: 33 });
});

test('facebook-js-sdk', async () => {
  const Facebook: Client = load('facebook-js-sdk');
  const client = new Facebook({ accessToken: harness.token });
  client.baseUrl = `${harness.url}/v20.0`;
  const made = await client.post(`/${harness.page}/live_videos`, { title: 'From a client', status: 'UNPUBLISHED' });
  expect(made.data.id).toMatch(/^\d+$/);
  expect((await client.get(`/${made.data.id}?fields=title,status`)).data).toMatchObject({
    title: 'From a client',
    status: 'UNPUBLISHED',
  });
  expect((await client.delete(`/${made.data.id}`)).data).toEqual({ success: true });
  await expect(client.get(`/${made.data.id}`)).rejects.toMatchObject({
    response: { status: 400, data: { error: { error_subcode: 'LIVE_VIDEO__NOT_EXIST' } } },
  });
});

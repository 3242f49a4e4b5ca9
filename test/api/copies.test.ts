import { ApiHarness, errorOf, idsOf } from '../support/api-harness.js';

let harness: ApiHarness;
beforeAll(async () => {
  harness = await ApiHarness.open();
});
afterAll(() => harness.close());

function upload(field: string, name: string, bytes: Buffer, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  form.set(field, new Blob([bytes]), name);
  return form;
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('a copy of a copy requires permission of the original’s owner', async () => {
  const id = await harness.video();
  const page = async (name: string) => harness.owner({ kind: 'page', name, managerId: harness.stranger });
  const [allowed, other] = [await page('Allowed'), await page('Not allowed')];
  await harness.post(`/${id}`, { allow_crossposting_for_pages: `[{page_id:${allowed},allow:true}]` });
  const cross = (to: string, source: string, token = harness.strangerToken) =>
    harness.post(`/${to}/videos`, { crossposted_video_id: source }, { token });
  const copy = (await cross(allowed, id)).body.id;
  expect(errorOf(await cross(other, copy))).toMatchObject({ code: 200, error_subcode: 1363103 });
  expect((await cross(allowed, copy)).status).toBe(200);
  expect((await cross(harness.page, copy, harness.token)).status).toBe(200);
});

test('a copy of a recording in processing has its status, and the pictures of the original', async () => {
  const live = await harness.live();
  await harness.goLive(live);
  const original = (await harness.get(`/${live}`, { fields: 'video' })).body.video.id;
  const copy = (await harness.post(`/${harness.group}/videos`, { crossposted_video_id: original })).body.id;
  const status = async () => (await harness.get(`/${copy}`, { fields: 'status' })).body.status;
  expect(await status()).toMatchObject({
    video_status: 'processing',
    publishing_phase: { status: 'not_started' },
  });
  await harness.endTo(live, 'VOD');
  expect(await status()).toMatchObject({ video_status: 'ready', publishing_phase: { publish_status: 'published' } });
  const picture = () => upload('source', 'a.png', PNG);
  const refused = await harness.ask('POST', `/${copy}/thumbnails`, { body: picture() });
  expect(errorOf(refused)).toMatchObject({ code: 100, message: expect.stringContaining(original) });
  const body = upload('thumb', 'a.png', PNG, { crossposted_video_id: original });
  const made = await harness.ask('POST', `/${harness.group}/videos`, { body });
  expect(errorOf(made)).toMatchObject({ code: 100, message: expect.stringContaining(original) });
  expect((await harness.ask('POST', `/${original}/thumbnails`, { body: picture() })).status).toBe(200);
  expect((await harness.get(`/${copy}/thumbnails`)).body.data).toHaveLength(1);
});

test('deleting an original deletes its cross-posted copies', async () => {
  const id = await harness.video();
  const copies: string[] = [];
  for (const owner of [harness.group, harness.page]) {
    copies.push((await harness.post(`/${owner}/videos`, { crossposted_video_id: id })).body.id);
  }
  const [kept, gone] = copies;
  await harness.delete(`/${gone}`);
  expect((await harness.get(`/${id}`)).status).toBe(200);
  await harness.delete(`/${id}`);
  for (const each of copies) expect(await harness.store.objects.get(each)).toBeUndefined();
  expect(idsOf(await harness.get(`/${harness.group}/videos`))).not.toContain(kept);
});

/** Videos with `expire_and_delete` are invisible from their expiration time on, and then deleted with their files. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, makeMedia } from '../../support/media-files.js';
import { UploadHarness } from '../../support/upload-harness.js';

let harness: UploadHarness;
let bytes: Buffer;
beforeAll(async () => {
  harness = await UploadHarness.open();
  bytes = readFileSync(makeMedia(join(harness.folder.path, 'a.mp4'), { size: '160x90' }));
});
afterAll(() => harness.close());

const HOUR_MS = 3_600_000;
const expiration = (inMs: number, type: string) =>
  JSON.stringify({ time: Math.floor((harness.clock.wallMs() + inMs) / 1000), type });

async function upload(fields: Record<string, string>): Promise<string> {
  const source = new Blob([new Uint8Array(bytes)]);
  const { body } = await harness.post(`/${harness.page}/videos`, { ...fields, source });
  await harness.processed(body.id);
  return body.id;
}

async function filesOf(id: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of harness.vod.blobs.list(`videos/${id}/`)) keys.push(key);
  return keys;
}

test('expired videos are deleted with their parts; hidden and postponed ones are kept', async () => {
  const deleted = await upload({ expiration: expiration(HOUR_MS, 'expire_and_delete') });
  const hidden = await upload({ expiration: expiration(HOUR_MS, 'expire_only') });
  const putOff = await upload({ expiration: expiration(HOUR_MS, 'expire_and_delete') });
  const kept = await upload({ expiration: expiration(HOUR_MS, 'expire_and_delete') });
  const later = await upload({});
  await harness.post(`/${later}`, { expiration: expiration(HOUR_MS, 'expire_and_delete') });
  await harness.post(`/${putOff}`, { expiration: expiration(9 * HOUR_MS, 'expire_and_delete') });
  await harness.post(`/${kept}`, { expiration: expiration(HOUR_MS, 'expire_only') });
  const comment = (await harness.post(`/${deleted}/comments`, { message: 'Soon gone' })).body.id;
  harness.clock.advance(HOUR_MS + 1_000);
  expect((await harness.get(`/${deleted}`)).body.error).toMatchObject({ code: 100, error_subcode: 33 });
  expect((await filesOf(deleted)).length).toBe(6);

  // The sweep runs at startup and every hour.
  await harness.stop();
  await harness.start();
  await eventually(async () => (await harness.store.objects.get(later)) === undefined);
  await eventually(async () => (await harness.store.objects.get(deleted)) === undefined);
  expect([await filesOf(deleted), await filesOf(later)]).toEqual([[], []]);
  expect(await harness.store.objects.get(comment)).toBeUndefined();
  const left = (await harness.get(`/${harness.page}/videos`)).body.data.map((row: { id: string }) => row.id);
  expect(left.sort()).toEqual([hidden, putOff, kept].sort());
  for (const id of left) expect((await filesOf(id)).length).toBe(6);
  // An edge entry is removed after the object that it names.
  await eventually(
    async () => (await harness.store.objects.edgeSize({ owner: 'system', edge: 'expiring_videos' })) === 1,
  );
});

/** The media process ends when it has nothing to do, which is no fault, and is back for each kind of work. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { makeMedia } from '../support/media-files.js';
import { Publisher, paced } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
let file: Buffer;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_MEDIA_IDLE_S: '1' });
  const path = join(airlock.folder, 'upload.mp4');
  makeMedia(path, { seconds: 2 });
  file = readFileSync(path);
});
afterAll(() => airlock.stop());

const readiness = async () => (await airlock.request('GET', '/readyz')).body.checks.media as string;
/** It takes no more work; the process may still be ending. */
const isIdle = () => airlock.until(readiness, (media) => media === 'idle');
const hasEnded = () =>
  airlock.until(
    async () => airlock.pidsOf('media'),
    (pids) => pids.length === 0,
  );

async function metrics(): Promise<Map<string, number>> {
  const text = await (await fetch(`${airlock.quickstart.http_url}/metrics`)).text();
  return new Map(
    text.split('\n').map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

async function upload(): Promise<string> {
  const form = new FormData();
  form.set('source', new Blob([new Uint8Array(file)]), 'upload.mp4');
  const url = new URL(`/${airlock.quickstart.page_id}/videos`, airlock.quickstart.http_url);
  const headers = { authorization: `Bearer ${airlock.quickstart.access_token}` };
  return ((await (await fetch(url, { method: 'POST', body: form, headers })).json()) as { id: string }).id;
}

const isReady = (id: string) =>
  airlock.until(
    () => airlock.get(`/${id}`, { fields: 'status' }),
    ({ status }) => status?.video_status === 'ready',
  );

test('without work the process ends, the server is ready, and nothing counts it as a fault', async () => {
  await hasEnded();
  expect(await airlock.request('GET', '/readyz')).toMatchObject({ status: 200, body: { checks: { media: 'idle' } } });
  expect((await airlock.request('GET', '/readyz', { role: 'media' })).status).toBe(200);
  const seen = await metrics();
  expect(seen.get('airlock_role_resident_bytes{role="media"}')).toBeUndefined();
  expect(seen.get('airlock_role_restarts_total{role="media"}')).toBe(0);
  expect(airlock.log).not.toMatch(/"level":"(?:warn|error)"[^\n]*(?:role process|media)/);
});

inFull('uploads are processed that come while it runs not, while it ends, and while it starts', async () => {
  await hasEnded();
  const videos = [await upload(), await upload()];
  await Promise.all(videos.map(isReady));
  await isIdle();
  await isReady(await upload());
});

test('a sample of a stream has it started', async () => {
  await hasEnded();
  const before = (await metrics()).get('airlock_probe_samples_total') ?? 0;
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  const sending = publisher.send(paced(synthStream({ durationMs: 60_000 }))).catch(() => undefined);
  await airlock.until(metrics, (seen) => (seen.get('airlock_probe_samples_total') ?? 0) > before);
  expect((await metrics()).get('airlock_role_restarts_total{role="media"}')).toBe(0);
  publisher.cut();
  await sending;
});

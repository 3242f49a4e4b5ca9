/** Small files that take long to convert: the videos of other tenants, and every broadcast, go on as if they were not there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Airlock, serversOfEachTest } from '../support/airlock.js';
import { Bystander, expectUntouched } from '../support/bystander.js';
import { makeMedia, runFfmpeg } from '../support/media-files.js';

const start = serversOfEachTest();

async function upload(airlock: Airlock, owner: string, file: string): Promise<string> {
  const form = new FormData();
  form.set('access_token', airlock.quickstart.access_token);
  form.set('source', new Blob([readFileSync(file)]), 'movie.mkv');
  const answer = await fetch(new URL(`/${owner}/videos`, airlock.quickstart.http_url), { method: 'POST', body: form });
  return ((await answer.json()) as { id: string }).id;
}

async function statusOf(airlock: Airlock, id: string): Promise<string> {
  return (await airlock.get(`/${id}`, { fields: 'status' })).status?.video_status;
}

const isOver = (status: string) => ['ready', 'error'].includes(status);

/** Black frames of 4K in a pixel format that no player takes: a second, repeated by copying its packets. */
function black4k(airlock: Airlock): string {
  const [second, minute] = [join(airlock.folder, 'second.mkv'), join(airlock.folder, 'minute.mkv')];
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv444p'];
  runFfmpeg(['-f', 'lavfi', '-i', 'color=black:size=3840x2160:rate=30', '-t', '1', ...codec, second]);
  runFfmpeg(['-stream_loop', '59', '-i', second, '-c', 'copy', minute]);
  return minute;
}

test('the short videos of another tenant are ready before two small files of black 4K are', async () => {
  const airlock = await start({ AIRLOCK_LOG_LEVEL: 'warn' });
  const nasty = black4k(airlock);
  const toConvert = makeMedia(join(airlock.folder, 'convert.avi'), { seconds: 2, video: ['-c:v', 'mpeg4'] });
  const toCopy = makeMedia(join(airlock.folder, 'copy.mkv'), { seconds: 2 });
  expect(readFileSync(nasty).length).toBeLessThan(2_000_000);
  const bystander = await Bystander.start(airlock);
  const { page_id: tenantA, group_id: tenantB } = airlock.quickstart;

  const ofA = [await upload(airlock, tenantA, nasty), await upload(airlock, tenantA, nasty)];
  const ofB = [await upload(airlock, tenantB, toConvert), await upload(airlock, tenantB, toCopy)];
  for (const id of ofB) expect(await airlock.until(() => statusOf(airlock, id), isOver)).toBe('ready');
  expect(await Promise.all(ofA.map((id) => statusOf(airlock, id)))).toEqual(['processing', 'processing']);
  await expectUntouched(bystander);
}, 120_000);

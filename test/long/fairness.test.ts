/** Small files that take long to convert do not delay the videos of other tenants or any broadcast. */
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

/** A minute of black 4K in a pixel format that needs converting: one second, repeated by copying its packets. */
function black4k(airlock: Airlock): string {
  const [second, minute] = [join(airlock.folder, 'second.mkv'), join(airlock.folder, 'minute.mkv')];
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv444p'];
  runFfmpeg(['-f', 'lavfi', '-i', 'color=black:size=3840x2160:rate=30', '-t', '1', ...codec, second]);
  runFfmpeg(['-stream_loop', '59', '-i', second, '-c', 'copy', minute]);
  return minute;
}

test('finishes short videos of one tenant before two slow 4K conversions of another', async () => {
  const airlock = await start({ AIRLOCK_LOG_LEVEL: 'warn' });
  const slow = black4k(airlock);
  const toConvert = makeMedia(join(airlock.folder, 'convert.avi'), { seconds: 2, video: ['-c:v', 'mpeg4'] });
  const toCopy = makeMedia(join(airlock.folder, 'copy.mkv'), { seconds: 2 });
  expect(readFileSync(slow).length).toBeLessThan(2_000_000);
  const bystander = await Bystander.start(airlock);
  const { page_id: tenantA, group_id: tenantB } = airlock.quickstart;

  const ofA = [await upload(airlock, tenantA, slow), await upload(airlock, tenantA, slow)];
  const ofB = [await upload(airlock, tenantB, toConvert), await upload(airlock, tenantB, toCopy)];
  for (const id of ofB) expect(await airlock.until(() => statusOf(airlock, id), isOver)).toBe('ready');
  expect(await Promise.all(ofA.map((id) => statusOf(airlock, id)))).toEqual(['processing', 'processing']);
  await expectUntouched(bystander);
});

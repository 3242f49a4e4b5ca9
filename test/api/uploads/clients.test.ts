/** Third-party upload clients, with only the server address changed. */

import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { targetNetworks } from '../../../src/config/settings/networks.js';
import { UPLOADS } from '../../../src/vod/uploads/limits.js';
import { inFull } from '../../support/in-full.js';
import { eventually, makeMedia, runFfmpeg } from '../../support/media-files.js';
import { UploadHarness } from '../../support/upload-harness.js';

const run = promisify(execFile);
const UPLOADER = join(import.meta.dirname, '..', '..', 'support', 'graph-uploader.mjs');
// biome-ignore lint/suspicious/noExplicitAny: the package brings no types
const sdk: any = createRequire(import.meta.url)('facebook-nodejs-business-sdk');

let harness: UploadHarness;
let large = '';
let image = '';
beforeAll(async () => {
  harness = await UploadHarness.open({
    fetch: { networks: targetNetworks(['127.0.0.1:1024-65535']) },
  });
  const bits = ['-b:v', '20M', '-minrate', '20M', '-maxrate', '20M', '-bufsize', '20M', '-x264-params', 'nal-hrd=cbr'];
  large = makeMedia(join(harness.folder.path, 'large.mkv'), {
    size: '640x360',
    seconds: 8,
    video: ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', ...bits],
  });
  image = join(harness.folder.path, 'thumb.jpg');
  runFfmpeg(['-f', 'lavfi', '-i', 'testsrc2=size=400x226', '-frames:v', '1', image]);
});
afterAll(() => harness.close());

async function curl(...args: string[]) {
  const { stdout } = await run('curl', ['-sS', ...args]);
  return JSON.parse(stdout);
}

inFull('facebook-api-video-upload uploads in many chunks, with a thumbnail', async () => {
  expect(statSync(large).size).toBeGreaterThan(2 * UPLOADS.windowBytes);
  const parameters = {
    ...{ token: harness.token, id: harness.page, stream: large, thumb: image },
    ...{ title: 'my video', description: 'my description' },
  };
  const { stdout } = await run(process.execPath, [UPLOADER, harness.url, JSON.stringify(parameters)]);
  const answer = JSON.parse(stdout);
  expect(answer).toEqual({ success: true, video_id: expect.stringMatching(/^\d+$/) });
  expect((await harness.processed(answer.video_id)).data.videoStatus).toBe('ready');
  const fields = 'title,description,length,thumbnails{width,height,is_preferred},picture,status';
  const { body } = await harness.get(`/${answer.video_id}`, { fields });
  expect(body).toMatchObject({
    title: 'my video',
    description: 'my description',
    status: { uploading_phase: { bytes_transferred: statSync(large).size } },
  });
  const preferred = body.thumbnails.data.filter((row: { is_preferred: boolean }) => row.is_preferred);
  expect(preferred).toMatchObject([{ width: 400, height: 226 }]);
  const picture = Buffer.from(await (await fetch(body.picture)).arrayBuffer());
  expect(picture.equals(readFileSync(image))).toBe(true);
});

test('facebook-nodejs-business-sdk uploads a video by URL, waits until it is ready and deletes it', async () => {
  const files = createServer((_request, response) => response.end(readFileSync(large)));
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  Object.defineProperty(sdk.FacebookAdsApi, 'GRAPH', { configurable: true, get: () => harness.url });
  const api = sdk.FacebookAdsApi.init(harness.token, 'en_US', false);
  const made = await new sdk.Page(harness.page).createVideo([], {
    file_url: `http://127.0.0.1:${(files.address() as AddressInfo).port}/large.mkv`,
    title: 'By address',
  });
  files.close();
  const read = (fields: string) => api.call('GET', [made.id], { fields });
  await eventually(async () => (await read('status')).status.video_status === 'ready');
  expect(await read('title,thumbnails{id}')).toMatchObject({
    title: 'By address',
    thumbnails: { data: { length: 5 } },
  });
  expect(await api.call('DELETE', [made.id])).toEqual({ success: true });
});

test('curl uploads with the token in the query, in a header, or in the form before or after the file', async () => {
  const address = `${harness.url}/v24.0/${harness.page}/videos`;
  const token = `access_token=${harness.token}`;
  const source = `source=@${large};type=application/octet-stream`;
  const answers = [
    await curl('-F', source, `${address}?${token}`),
    await curl('-F', token, '-F', source, address),
    await curl('-F', source, '-F', 'title=After', '-F', token, address),
    await curl('-H', `Authorization: OAuth ${harness.token}`, '-F', source, address),
    await curl('-H', 'Transfer-Encoding: chunked', '-F', token, '-F', source, address),
  ];
  for (const answer of answers) expect(answer).toEqual({ id: expect.stringMatching(/^\d+$/) });
  for (const { id } of answers) expect((await harness.delete(`/${id}`)).body).toEqual({ success: true });
  await eventually(() => harness.rubbish().length === 0);
});

test('a file without a token, or with an invalid token after it, is refused', async () => {
  const address = `${harness.url}/${harness.page}/videos`;
  expect((await curl('-F', `source=@${large}`, address)).error.code).toBe(104);
  expect((await curl('-F', `source=@${large}`, '-F', 'access_token=wrong', address)).error.code).toBe(190);
  expect((await curl('-F', 'access_token=wrong', '-F', `source=@${large}`, address)).error.code).toBe(190);
  await eventually(() => harness.rubbish().length === 0);
});

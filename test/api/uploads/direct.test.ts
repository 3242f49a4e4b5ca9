import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { inFull } from '../../support/in-full.js';
import { ffprobeUrl, type MediaFile, makeMedia, runFfmpeg } from '../../support/media-files.js';
import { until } from '../../support/store-harness.js';
import { UploadHarness } from '../../support/upload-harness.js';

let harness: UploadHarness;
beforeAll(async () => {
  harness = await UploadHarness.open();
});
afterAll(() => harness.close());

const file = (name: string, media?: MediaFile): Blob => {
  const path = makeMedia(join(harness.folder.path, name), media);
  return new Blob([readFileSync(path)]);
};

async function upload(source: Blob, fields: Record<string, string> = {}, owner = harness.page): Promise<string> {
  const { status, body } = await harness.post(`/v24.0/${owner}/videos`, { ...fields, source });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.id;
}

test('a conforming file is ready unchanged, with thumbnails, and listed', async () => {
  const source = file('good.mp4', { options: ['-movflags', '+faststart'] });
  const id = await upload(source, { title: 'Good', description: 'A good one' });
  const early = await harness.get(`/${id}`, { fields: 'status' });
  expect(['processing', 'ready']).toContain(early.body.status.video_status);
  expect(early.body.status.uploading_phase).toMatchObject({ status: 'complete', bytes_transferred: source.size });
  await harness.processed(id);
  const { body } = await harness.get(`/${id}`, { fields: 'title,length,source,status,format,thumbnails,picture' });
  expect(body).toMatchObject({
    title: 'Good',
    status: { video_status: 'ready' },
    format: [{ width: 320, height: 180 }],
  });
  expect(body.length).toBeCloseTo(2, 0);
  expect(body.thumbnails.data.length).toBe(5);
  const bytes = Buffer.from(await (await fetch(body.source)).arrayBuffer());
  expect(bytes.equals(Buffer.from(await source.arrayBuffer()))).toBe(true);
  expect((await fetch(body.picture)).headers.get('content-type')).toBe('image/jpeg');
  expect((await harness.get(`/${harness.page}/videos`)).body.data.map((row: { id: string }) => row.id)).toContain(id);
  expect((await harness.get(`/${id}/errors`)).body.data).toEqual([]);
  await until(() => harness.rubbish().length === 0);
});

test('each violation of the specification is an error record, and the video still plays', async () => {
  const source = file('faulty.mkv', { size: '240x240', sampleRate: 44_100, layout: '5.1' });
  const id = await upload(source, {}, harness.group);
  const video = await harness.processed(id);
  expect(video.data.videoStatus).toBe('ready');
  const { body } = await harness.get(`/${id}/errors`);
  const rows: { error_code: number; error_subcode: string; description: string; observed: unknown }[] = body.data;
  expect(rows.map((row) => row.error_code).sort()).toEqual([6702, 6704, 6705]);
  expect(rows.find((row) => row.error_code === 6704)).toMatchObject({
    error_subcode: 6704,
    observed: 44_100,
  });
  const { body: read } = await harness.get(`/${id}`, { fields: 'source' });
  expect((await ffprobeUrl(read.source)).streams.map((stream) => stream.codec_name)).toEqual(['h264', 'aac']);
});

inFull('a file that browsers cannot play is encoded', async () => {
  const id = await upload(file('old.avi', { video: ['-c:v', 'mpeg4'], audio: ['-c:a', 'mp2', '-b:a', '192k'] }));
  expect((await harness.processed(id)).data.videoStatus).toBe('ready');
  const { body } = await harness.get(`/${id}`, { fields: 'source' });
  expect((await ffprobeUrl(body.source)).streams.map((stream) => stream.codec_name)).toEqual(['h264', 'aac']);
  expect((await harness.get(`/${id}/errors`)).body.data.map((row: { error_code: number }) => row.error_code)).toEqual([
    6703,
  ]);
});

test.each([
  ['words', Buffer.from('just words, and many of them. '.repeat(100)), 6707],
  ['a playlist', Buffer.from(`#EXTM3U\n${'#EXTINF:1,\nfile:///etc/passwd\n'.repeat(50)}`), 6701],
  ['a picture', Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(2_000)]), 6701],
])('%s is refused with an error', async (_name, bytes, code) => {
  const id = await upload(new Blob([bytes]));
  const video = await harness.processed(id);
  expect(video.data.videoStatus).toBe('error');
  const { body } = await harness.get(`/${id}`, { fields: 'status,errors,source' });
  expect(body.status.processing_phase).toMatchObject({ status: 'error', errors: [{ code }] });
  expect(body.errors.data.map((row: { error_code: number }) => row.error_code)).toEqual([code]);
  expect(body.source).toBeUndefined();
  const open = await harness.get(`/${id}/errors`, { open: 'true', error_subcode: 'VIDEO__CREATE_FAILED' });
  expect(open.body.data).toEqual(body.errors.data);
  expect((await harness.get(`/${harness.page}/videos`)).body.data.map((row: { id: string }) => row.id)).not.toContain(
    id,
  );
  await until(() => harness.rubbish().length === 0);
});

test('the faults of a file that cannot become a video are those of a creation that failed', async () => {
  const path = join(harness.folder.path, 'sound.mp4');
  runFfmpeg(['-f', 'lavfi', '-i', 'sine=sample_rate=44100:duration=2', '-c:a', 'aac', '-b:a', '128k', path]);
  const id = await upload(new Blob([readFileSync(path)]));
  expect((await harness.processed(id)).data.videoStatus).toBe('error');
  await until(async () => (await harness.get(`/${id}/errors`, { open: 'true' })).body.data.length > 0);
  const { data } = (await harness.get(`/${id}/errors`)).body;
  expect(data.map((row: { error_code: number }) => row.error_code)).toContain(6704);
  for (const row of data) {
    expect(row).toMatchObject({ error_subcode: 'VIDEO__CREATE_FAILED', count: 1 });
    expect(row).not.toHaveProperty('cleared_time');
  }
});

test('a truncated file is refused', async () => {
  const whole = Buffer.from(await file('long.mp4', { seconds: 4 }).arrayBuffer());
  const id = await upload(new Blob([whole.subarray(0, whole.length / 2)]));
  expect((await harness.processed(id)).data).toMatchObject({ videoStatus: 'error', phaseErrors: [{ code: 6707 }] });
});

test('a file that is too small, a missing file and a missing permission are refused', async () => {
  const tiny = await harness.post(`/${harness.page}/videos`, { source: new Blob(['x']) });
  expect(tiny.body.error).toMatchObject({ code: 382, error_subcode: 1363022 });
  const none = await harness.post(`/${harness.page}/videos`, { title: 'x' });
  expect(none.body.error).toMatchObject({ code: 100, error_subcode: 1363020 });
  const stranger = await harness.post(
    `/${harness.page}/videos`,
    { source: new Blob([Buffer.alloc(2_000)]) },
    'no-token',
  );
  expect(stranger.status).toBe(401);
  await until(() => harness.rubbish().length === 0);
});

test('an aborted connection leaves nothing behind', async () => {
  const before = (await harness.get(`/${harness.page}/videos`)).body.data.length;
  const socket = connect(Number(new URL(harness.url).port), '127.0.0.1');
  const head = `POST /${harness.page}/videos?access_token=${harness.token} HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000000\r\n\r\n`;
  socket.write(`${head}--b\r\nContent-Disposition: form-data; name="source"; filename="a.mp4"\r\n\r\n`);
  socket.write(Buffer.alloc(300_000));
  await until(() => harness.rubbish().length === 1);
  socket.destroy();
  await once(socket, 'close');
  await until(() => harness.rubbish().length === 0);
  expect((await harness.get(`/${harness.page}/videos`)).body.data.length).toBe(before);
});

test('deleting the video deletes its files', async () => {
  const id = await upload(file('gone.mp4'));
  const { data } = await harness.processed(id);
  const key = String(data.sourceKey);
  expect(await harness.vod.blobs.stat(key)).toBeDefined();
  expect((await harness.delete(`/${id}`)).body).toEqual({ success: true });
  expect(await harness.vod.blobs.stat(key)).toBeUndefined();
  const left: string[] = [];
  for await (const blob of harness.vod.blobs.list(`videos/${id}/`)) left.push(blob.key);
  expect(left).toEqual([]);
  expect((await fetch(`${harness.url}${harness.vod.links.sign(`/files/${key}`)}`)).status).toBe(404);
});

test('captions are served unchanged and as WebVTT', async () => {
  const id = await upload(file('spoken.mp4'));
  await harness.processed(id);
  const form = new FormData();
  form.set('access_token', harness.token);
  const srt = '1\r\n00:00:00,500 --> 00:00:01,500\r\n<b>Hello</b> & goodbye\r\n';
  form.set('captions_file', new Blob([Buffer.from(`\uFEFF${srt}`, 'utf16le')]), 'words.en_US.srt');
  expect(await (await fetch(`${harness.url}/${id}/captions`, { method: 'POST', body: form })).json()).toEqual({
    success: true,
  });
  const { body } = await harness.get(`/${id}/captions`, { fields: 'locale,uri,webvtt_uri' });
  expect(await (await fetch(body.data[0].uri)).arrayBuffer()).toHaveProperty('byteLength', 2 * srt.length + 2);
  const vtt = await fetch(body.data[0].webvtt_uri);
  expect(vtt.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
  expect(await vtt.text()).toBe('WEBVTT\n\n00:00:00.500 --> 00:00:01.500\n<b>Hello</b> &amp; goodbye\n');
});

inFull('captions that precede a valid token are accepted and leave nothing on disk', async () => {
  const id = await upload(file('spoken.mp4'));
  await harness.processed(id);
  const send = async (token: string) => {
    const form = new FormData();
    form.set('captions_file', new Blob(['1\n00:00:00,500 --> 00:00:01,500\nBehind\n']), 'words.en_US.srt');
    form.set('access_token', token);
    return (await fetch(`${harness.url}/${id}/captions`, { method: 'POST', body: form })).status;
  };
  expect(await send('wrong')).toBe(401);
  expect((await harness.get(`/${id}/captions`)).body.data).toEqual([]);
  expect(await send(harness.token)).toBe(200);
  const { body } = await harness.get(`/${id}/captions`, { fields: 'webvtt_uri' });
  expect(await (await fetch(body.data[0].webvtt_uri)).text()).toContain('Behind');
  expect(harness.rubbish().filter((path) => path.startsWith('work'))).toEqual([]);
});

test('a scheduled video is published at its time', async () => {
  const at = Math.floor(harness.clock.wallMs() / 1000) + 3_600;
  const id = await upload(file('later.mp4'), { published: 'false', scheduled_publish_time: String(at) });
  await harness.processed(id);
  expect((await harness.get(`/${id}`, { fields: 'published,status' })).body).toMatchObject({
    published: false,
    status: { publishing_phase: { publish_status: 'scheduled' } },
  });
  harness.clock.advance(3_601_000);
  harness.vod.jobs.wake();
  await until(async () => (await harness.get(`/${id}`, { fields: 'published' })).body.published === true);
});

test('strict enforcement refuses a video with any error', async () => {
  const strict = await UploadHarness.open({ enforce: 'strict' });
  try {
    const path = makeMedia(join(strict.folder.path, 'square.mp4'), { size: '240x240' });
    const { body } = await strict.post(`/${strict.page}/videos`, { source: new Blob([readFileSync(path)]) });
    expect((await strict.processed(body.id)).data).toMatchObject({
      videoStatus: 'error',
      phaseErrors: [{ code: 6702 }],
    });
  } finally {
    await strict.close();
  }
});

inFull('the format is detected from content, not from the file name', async () => {
  writeFileSync(join(harness.folder.path, 'x'), '');
  const id = await upload(file('really.flv'));
  expect((await harness.processed(id)).data).toMatchObject({ videoStatus: 'ready', width: 320 });
});

inFull('videos in a batch are accepted and leave no temporary files', async () => {
  const source = file('batched.mp4');
  const form = new FormData();
  form.set('access_token', harness.token);
  form.set('clip', source, 'clip.mp4');
  const operation = (body: string) => ({
    method: 'POST',
    relative_url: `${harness.page}/videos`,
    body,
    attached_files: 'clip',
  });
  const operations = [operation('title=Batched'), operation(`upload_phase=start&file_size=${source.size}`)];
  form.set('batch', JSON.stringify(operations));
  const reply = await fetch(`${harness.url}/v24.0/`, { method: 'POST', body: form });
  const [made, started] = ((await reply.json()) as { body: string }[]).map((each) => JSON.parse(each.body));
  await harness.processed(made.id);
  const read = await harness.get(`/${made.id}`, { fields: 'title,status{video_status}' });
  expect(read.body).toEqual({ title: 'Batched', status: { video_status: 'ready' }, id: made.id });
  form.set(
    'batch',
    JSON.stringify([operation(`upload_phase=transfer&start_offset=0&upload_session_id=${started.upload_session_id}`)]),
  );
  const moved = (await (await fetch(`${harness.url}/v24.0/`, { method: 'POST', body: form })).json()) as {
    body: string;
  }[];
  const end = String(source.size);
  expect(JSON.parse(moved[0]?.body ?? '')).toEqual({ start_offset: end, end_offset: end });
  await harness.post(`/${harness.page}/videos`, {
    upload_phase: 'cancel',
    upload_session_id: started.upload_session_id,
  });
  await until(() => harness.rubbish().length === 0);
});

test('replacing a video is refused and creates no second one', async () => {
  const replaced = { replace_video_id: '1', swap_mode: 'replace', source: file('other.mp4') };
  const { status, body } = await harness.post(`/${harness.page}/videos`, replaced);
  expect([status, body.error.code]).toEqual([400, 100]);
  expect(body.error.message).toContain('replace_video_id');
});

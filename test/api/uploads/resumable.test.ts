import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueToken } from '../../../src/api/access/token-issue.js';
import { SYSTEM_EDGES } from '../../../src/ports/index.js';
import { UPLOADS } from '../../../src/vod/uploads/limits.js';
import { inFull } from '../../support/in-full.js';
import { makeMedia } from '../../support/media-files.js';
import { until } from '../../support/store-harness.js';
import { UploadHarness } from '../../support/upload-harness.js';

let harness: UploadHarness;
let bytes: Buffer;
beforeAll(async () => {
  harness = await UploadHarness.open();
  bytes = readFileSync(makeMedia(join(harness.folder.path, 'source.mp4'), { seconds: 3 }));
});
afterAll(() => harness.close());

const post = (fields: Record<string, string | Blob>, owner = harness.page) =>
  harness.post(`/v24.0/${owner}/videos`, fields);

async function start(size = bytes.length): Promise<{ session: string; video: string }> {
  const { body } = await post({ upload_phase: 'start', file_size: String(size) });
  expect(body).toEqual({
    upload_session_id: expect.stringMatching(/^\d+$/),
    video_id: expect.stringMatching(/^\d+$/),
    start_offset: '0',
    end_offset: String(Math.min(size, UPLOADS.windowBytes)),
  });
  return { session: body.upload_session_id, video: body.video_id };
}

function transfer(session: string, from: number, to: number, content = bytes) {
  return post({
    upload_phase: 'transfer',
    upload_session_id: session,
    start_offset: String(from),
    video_file_chunk: new Blob([content.subarray(from, to)]),
  });
}

const finish = (session: string, fields: Record<string, string> = {}) =>
  post({ upload_phase: 'finish', upload_session_id: session, ...fields });

const subcode = (reply: { body: { error?: { error_subcode?: unknown } } }) => reply.body.error?.error_subcode;

test('start, transfer and finish upload the file unchanged', async () => {
  const { session, video } = await start();
  const half = Math.floor(bytes.length / 2);
  expect((await harness.get(`/${video}`, { fields: 'status' })).body.status).toMatchObject({
    video_status: 'uploading',
    uploading_phase: { status: 'in_progress', bytes_transferred: 0, source_file_size: bytes.length },
  });
  expect((await transfer(session, 0, half)).body).toEqual({
    start_offset: String(half),
    end_offset: String(bytes.length),
  });
  expect((await harness.get(`/${video}`, { fields: 'status' })).body.status.uploading_phase.bytes_transferred).toBe(
    half,
  );
  const end = String(bytes.length);
  expect((await transfer(session, half, bytes.length)).body).toEqual({ start_offset: end, end_offset: end });
  expect((await finish(session, { title: 'In parts' })).body).toEqual({ success: true });
  expect((await finish(session)).body).toEqual({ success: true });
  const { data } = await harness.processed(video);
  expect(data).toMatchObject({ videoStatus: 'ready', title: 'In parts', bytesTransferred: bytes.length });
  await until(() => harness.rubbish().length === 0);
  // A client that lost the response repeats the call, also after processing: the same response, nothing is added.
  const pictures = async () => (await harness.get(`/${video}/thumbnails`)).body.data.length;
  const before = await pictures();
  expect((await finish(session, { title: 'Ignored' })).body).toEqual({ success: true });
  expect((await harness.get(`/${video}`, { fields: 'title' })).body.title).toBe('In parts');
  expect(await pictures()).toBe(before);
});

test('a wrong offset is refused with the expected one', async () => {
  const { session } = await start();
  const wrong = await transfer(session, 500, 900);
  expect(wrong.status).toBe(400);
  expect(wrong.body.error).toMatchObject({
    code: 6001,
    error_subcode: 1363037,
    error_data: { start_offset: 0, end_offset: bytes.length },
  });
  expect((await transfer(session, 0, 5_000)).body.start_offset).toBe('5000');
  expect((await transfer(session, 0, 5_000)).body.start_offset).toBe('5000');
  expect((await transfer(session, 1_000, 2_000)).body.start_offset).toBe('5000');
  expect(subcode(await transfer(session, 4_000, 6_000))).toBe(1363037);
  expect(subcode(await finish(session))).toBe(1363033);
  const tooMuch = Buffer.concat([bytes, Buffer.alloc(10)]);
  expect(subcode(await transfer(session, 5_000, tooMuch.length, tooMuch))).toBe(1363045);
  expect((await post({ upload_phase: 'cancel', upload_session_id: session })).body).toEqual({ success: true });
});

inFull('a chunk sent twice concurrently counts once', async () => {
  const { session, video } = await start();
  const answers = await Promise.all([
    transfer(session, 0, 9_000),
    transfer(session, 0, 9_000),
    transfer(session, 0, 9_000),
  ]);
  expect(answers.map(({ body }) => body.start_offset)).toEqual(['9000', '9000', '9000']);
  await transfer(session, 9_000, bytes.length);
  await finish(session);
  expect((await harness.processed(video)).data.videoStatus).toBe('ready');
  await until(() => harness.rubbish().length === 0);
});

test('uploads and processing jobs resume after a server restart', async () => {
  const { session, video } = await start();
  await transfer(session, 0, 7_000);
  await harness.stop();
  await harness.start();
  expect(subcode(await transfer(session, 9_999, 10_000))).toBe(1363037);
  await transfer(session, 7_000, bytes.length);
  await finish(session);
  await harness.stop();
  await harness.start();
  expect((await harness.processed(video)).data.videoStatus).toBe('ready');
});

test('a canceled upload leaves only its video with the status', async () => {
  const { session, video } = await start();
  await transfer(session, 0, 7_000);
  expect(harness.rubbish().length).toBe(1);
  await post({ upload_phase: 'cancel', upload_session_id: session });
  await until(() => harness.rubbish().length === 0);
  expect((await harness.get(`/${video}`, { fields: 'status' })).body.status).toMatchObject({
    video_status: 'upload_failed',
    uploading_phase: { status: 'error', errors: [{ code: 6001, message: 'The upload was canceled.' }] },
  });
  expect(subcode(await transfer(session, 7_000, 8_000))).toBe(1363041);
});

test('an owner sees the uploads that are under way, and ends one by deleting its video', async () => {
  const [first, second] = [await start(9_000), await start(8_000)];
  await transfer(first.session, 0, 7_000);
  const list = async (query: Record<string, string> = {}) =>
    (await harness.get(`/${harness.page}/videos`, { type: 'UPLOADING', fields: 'upload_session_id', ...query })).body;
  const row = ({ session, video }: { session: string; video: string }) => ({ upload_session_id: session, id: video });
  expect((await list()).data).toEqual([row(second), row(first)]);
  const { data, paging } = await list({ limit: '1', fields: 'status' });
  expect([data[0].status.video_status, paging.next !== undefined]).toEqual(['uploading', true]);
  const shown = (await harness.get(`/${harness.page}/videos`)).body.data.map(({ id }: { id: string }) => id);
  expect(shown).not.toContain(second.video);
  const stranger = await issueToken(harness, { ownerId: harness.group });
  const refused = await harness.get(`/${harness.page}/videos`, { type: 'uploading', access_token: stranger.token });
  expect(refused.body.error).toMatchObject({ code: 200 });
  expect((await harness.delete(`/${first.video}`)).body).toEqual({ success: true });
  expect((await list()).data).toEqual([row(second)]);
  expect(subcode(await transfer(first.session, 7_000, 8_000))).toBe(1363041);
  await until(() => harness.rubbish().length === 0);
  // An hour without a byte ends it, and not the day of a client that sends some.
  harness.clock.advance(59 * 60_000);
  await transfer(second.session, 0, 100);
  harness.clock.advance(59 * 60_000);
  expect((await list()).data).toEqual([row(second)]);
  harness.clock.advance(2 * 60_000);
  expect((await list()).data).toEqual([]);
  expect(await harness.vod.sweeper.endSessions()).toBe(1);
  expect((await harness.get(`/${second.video}`, { fields: 'status' })).body.status.video_status).toBe('expired');
});

test('an upload not finished in time expires', async () => {
  const { session, video } = await start();
  await transfer(session, 0, 7_000);
  harness.clock.advance(UPLOADS.sessionLifeMs + 1);
  expect(subcode(await transfer(session, 7_000, 8_000))).toBe(1363041);
  expect((await harness.vod.sweeper.sweep()).sessions).toBe(1);
  expect((await harness.get(`/${video}`, { fields: 'status' })).body.status.video_status).toBe('expired');
  await until(() => harness.rubbish().length === 0);
  expect(await harness.store.objects.edgeEntry(SYSTEM_EDGES.uploadSessions, session)).toBeUndefined();
});

test('an upload session is usable by its owner only', async () => {
  const { session } = await start();
  const other = await post(
    {
      upload_phase: 'transfer',
      upload_session_id: session,
      start_offset: '0',
      video_file_chunk: new Blob([bytes.subarray(0, 100)]),
    },
    harness.group,
  );
  expect(subcode(other)).toBe(1363041);
  await post({ upload_phase: 'cancel', upload_session_id: session });
});

test('invalid sizes and too many concurrent uploads are refused', async () => {
  expect(subcode(await post({ upload_phase: 'start', file_size: '10' }))).toBe(1363022);
  expect(subcode(await post({ upload_phase: 'start', file_size: String(UPLOADS.fileBytesMax + 1) }))).toBe(1363023);
  expect((await post({ upload_phase: 'start' })).body.error.code).toBe(100);
  const sessions = await Promise.all(Array.from({ length: UPLOADS.sessionsPerOwner }, () => start(2_000)));
  const refused = await post({ upload_phase: 'start', file_size: '2000' });
  expect(refused.body.error).toMatchObject({
    code: 475,
    error_subcode: 1363021,
    error_user_msg: expect.stringContaining('50 uploads under way, the most that there may be. Finish one, or delete'),
  });
  for (const { session } of sessions) await post({ upload_phase: 'cancel', upload_session_id: session });
});

test('a new upload takes the place of the one of fifty that has been without a chunk longest', async () => {
  const minutes = (count: number) => harness.clock.advance(count * 60_000);
  const first = await start(9_000);
  minutes(5);
  const second = await start(9_000);
  minutes(5);
  const others: { session: string }[] = [];
  for (let open = 2; open < UPLOADS.sessionsPerOwner; open++) others.push(await start(2_000));
  harness.clock.advance(UPLOADS.sessionIdleMs);
  minutes(-7);
  // The oldest session is in use, so the second one is the one that is abandoned longest.
  expect((await transfer(first.session, 0, 100)).body.start_offset).toBe('100');
  expect(subcode(await post({ upload_phase: 'start', file_size: '2000' }))).toBe(1363021);
  minutes(2);
  const next = await start(2_000);
  expect(subcode(await transfer(second.session, 0, 100))).toBe(1363041);
  expect((await harness.get(`/${second.video}`, { fields: 'status' })).body.status.video_status).toBe('expired');
  expect((await transfer(first.session, 100, 200)).body.start_offset).toBe('200');
  for (const { session } of [first, next, ...others])
    await post({ upload_phase: 'cancel', upload_session_id: session });
});

test('a start beyond the free disk is refused with a subcode, and says that a retry may succeed', async () => {
  const full = await UploadHarness.open({ diskReserve: { text: 'all', bytesOf: (diskBytes) => diskBytes * 2 } });
  const reply = await full.post(`/${full.page}/videos`, { upload_phase: 'start', file_size: '2000' });
  expect(reply).toMatchObject({
    status: 400,
    body: { error: { code: 6001, error_subcode: 'VIDEO__CREATE_FAILED', is_transient: true } },
  });
  expect(reply.body.error.message).toContain('Not enough disk space');
  await full.close();
});

test('deleting the video of an unfinished upload cancels the upload', async () => {
  const { session, video } = await start();
  await transfer(session, 0, 7_000);
  expect((await harness.delete(`/${video}`)).body).toEqual({ success: true });
  await until(() => harness.rubbish().length === 0);
  expect(subcode(await transfer(session, 7_000, 8_000))).toBe(1363041);
});

test('a finish is repeated for two days, also after the hour of an unfinished upload', async () => {
  const { session } = await start(9_000);
  await transfer(session, 0, 9_000, Buffer.alloc(9_000));
  expect((await finish(session)).body).toEqual({ success: true });
  harness.clock.advance(24 * 3_600_000);
  expect((await finish(session)).body).toEqual({ success: true });
});

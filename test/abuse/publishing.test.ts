/** Limits for holders of stream keys; another owner's broadcast is not affected. */

import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { Bystander, expectUntouched } from '../support/bystander.js';
import { runCli } from '../support/cli.js';
import { Publisher, paced } from '../support/publisher.js';
import { type SynthMessage, synthStream } from '../support/synth-stream.js';

const PER_ADDRESS = 64;
const PROXY = '127.0.0.9';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({
    AIRLOCK_PROXY_PROTOCOL: 'on',
    AIRLOCK_TRUSTED_PROXIES: PROXY,
    AIRLOCK_LOG_LEVEL: 'warn',
  });
});
afterAll(() => airlock.stop());

/** 16 bytes of audio every 6 s: never idle, and 20 s of stream time take far longer than the deadline. */
function* trickle(): Generator<SynthMessage> {
  const payload = Uint8Array.from([0xaf, 1, ...new Array(14).fill(0)]);
  for (let timestampMs = 0; ; timestampMs += 6_000) yield { kind: 'audio', timestampMs, payload };
}

const from = (address: string) => ({
  preface: Buffer.from(`PROXY TCP4 ${address} 203.0.113.1 51234 1936\r\n`),
  from: PROXY,
});

test('counts trickling preflights against their address until a wall-clock deadline ends them with a verdict', async () => {
  const bystander = await Bystander.start(airlock);
  // At once, since the first must not have reached its deadline when the last begins.
  const lives = await Promise.all(Array.from({ length: PER_ADDRESS }, () => airlock.createLive()));
  const preflights = await Promise.all(
    lives.map(({ key }) => Publisher.open(airlock, `${key}?preflight=1`, 'live', from('198.51.100.7'))),
  );
  for (const publisher of preflights) {
    expect(publisher.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
    void publisher.send(paced(trickle()));
  }
  const live = await airlock.createLive();
  await expect(Publisher.open(airlock, live.key, 'live', from('198.51.100.7'))).rejects.toThrow();
  const neighbor = await Publisher.open(airlock, live.key, 'live', from('198.51.100.8'));
  expect(neighbor.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  await neighbor.stop();

  for (const preflight of preflights) {
    const { fields } = await preflight.status('NetStream.Publish.Preflight');
    expect(fields).toMatchObject({ result: 'fail', description: expect.stringContaining('6401 VIDEO_MISSING') });
    await preflight.until(() => preflight.closed);
  }
  const again = await Publisher.open(airlock, live.key, 'live', from('198.51.100.7'));
  expect(again.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  await again.stop();
  await expectUntouched(bystander);
});

test('refuses a second preflight of a stream key until the first has ended', async () => {
  const bystander = await Bystander.start(airlock);
  const { key } = await airlock.createLive();
  const first = await Publisher.open(airlock, `${key}?preflight=1`);
  expect(first.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  const second = await Publisher.open(airlock, `${key}?preflight=1`);
  expect(second.statuses[0]).toMatchObject({
    code: 'NetStream.Publish.BadName',
    description: expect.stringContaining('A preflight with this stream key is already running'),
  });
  const publisher = await Publisher.open(airlock, key);
  expect(publisher.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  await publisher.stop();
  first.cut();
  const third = await airlock.until(
    () => Publisher.open(airlock, `${key}?preflight=1`),
    ({ statuses }) => statuses[0]?.code === 'NetStream.Publish.Start',
  );
  third.cut();
  await expectUntouched(bystander);
});

interface OwnerShown {
  readonly id: string;
  readonly publishers: number;
  readonly max_publishers: number;
  readonly objects: number;
  readonly stored_bytes: number;
}

/** Administration on the running server. */
async function admin<Answer = OwnerShown>(...args: string[]): Promise<Answer> {
  const env = { AIRLOCK_DATA_DIR: join(airlock.folder, 'data') };
  const { code, stdout, stderr } = await runCli([...args, '--format', 'json'], { env });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

async function keyOf(ownerId: string): Promise<string> {
  return (await admin<{ stream_key: string }>('live', 'create', '--owner', ownerId, '--status', 'UNPUBLISHED'))
    .stream_key;
}

test('limits the streams of an owner without affecting other owners', async () => {
  const bystander = await Bystander.start(airlock);
  const { id } = await admin('owner', 'add', 'page', 'Greedy');
  expect((await admin('owner', 'set', id, '--max-publishers', '2')).max_publishers).toBe(2);
  const keys = [await keyOf(id), await keyOf(id), await keyOf(id)];
  // Previews and preflights count alike.
  const first = await Publisher.open(airlock, keys[0] ?? '');
  const second = await Publisher.open(airlock, `${keys[1]}?preflight=1`);
  expect([first, second].map(({ statuses }) => statuses[0]?.code)).toEqual(Array(2).fill('NetStream.Publish.Start'));
  const third = await Publisher.open(airlock, keys[2] ?? '');
  expect(third.statuses[0]).toMatchObject({
    code: 'NetStream.Publish.Rejected',
    description: expect.stringContaining('has reached its limit of 2 running streams'),
  });
  expect(await admin('owner', 'show', id)).toMatchObject({ publishers: 2, max_publishers: 2 });
  expect(airlock.log).not.toContain(keys[2]);

  const other = await Publisher.open(airlock, (await airlock.createLive()).key);
  expect(other.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
  await other.stop();
  await first.stop();
  const again = await airlock.until(
    () => Publisher.open(airlock, keys[2] ?? ''),
    ({ statuses }) => statuses[0]?.code === 'NetStream.Publish.Start',
  );
  await again.stop();
  second.cut();
  await airlock.until(
    () => admin('owner', 'show', id),
    ({ publishers }) => publishers === 0,
  );
  await expectUntouched(bystander);
});

test('limits the live videos and videos of an owner, and frees room on deletion', async () => {
  const bystander = await Bystander.start(airlock);
  const { id } = await admin('owner', 'add', 'page', 'Hoarder', '--manager', airlock.quickstart.user_id);
  // A live video counts with its video.
  await admin('owner', 'set', id, '--max-objects', '4');
  const create = () => airlock.request('POST', `/${id}/live_videos`, { status: 'UNPUBLISHED' });
  const [first, second, third] = [await create(), await create(), await create()];
  expect([first.status, second.status, third.status]).toEqual([200, 200, 403]);
  expect(third.body.error).toMatchObject({ code: 341, message: expect.stringContaining('4 live videos and videos') });
  const upload = await airlock.request('POST', `/${id}/videos`, { upload_phase: 'start', file_size: '5000' });
  expect(upload.body.error).toMatchObject({ code: 341 });
  expect(await admin('owner', 'show', id)).toMatchObject({ objects: 4, stored_bytes: 0 });

  expect((await airlock.request('DELETE', `/${first.body.id}`, {})).status).toBe(200);
  expect(await admin('owner', 'show', id)).toMatchObject({ objects: 2 });
  expect((await create()).status).toBe(200);
  await expectUntouched(bystander);
});

test('limits the stored bytes of an owner: refuses uploads and continues broadcasts without recording', async () => {
  const bystander = await Bystander.start(airlock);
  const { id } = await admin('owner', 'add', 'page', 'Archivist', '--manager', airlock.quickstart.user_id);
  await admin('owner', 'set', id, '--max-bytes', '10000');
  const ask = (path: string, params: Record<string, string>) => airlock.request('POST', path, params);
  const start = (bytes: number) => ask(`/${id}/videos`, { upload_phase: 'start', file_size: String(bytes) });
  const first = await start(10_000);
  expect(first.status).toBe(200);
  expect((await start(2_000)).body.error).toMatchObject({
    code: 341,
    message: expect.stringContaining('10000 of 10000 bytes'),
  });
  expect(await admin('owner', 'show', id)).toMatchObject({ stored_bytes: 10_000, objects: 1 });

  const made = await ask(`/${id}/live_videos`, { status: 'LIVE_NOW' });
  const key = String(made.body.secure_stream_url).split('/').at(-1) ?? '';
  const publisher = await Publisher.open(airlock, key);
  await publisher.send(synthStream({ durationMs: 3_000 }));
  const records = await airlock.until(
    async () => (await airlock.request('GET', `/${made.body.id}/errors`, {})).body.data,
    (rows) => rows.length > 0,
  );
  expect(records).toEqual([
    expect.objectContaining({ description: expect.stringContaining('reached the storage limit for videos') }),
  ]);
  expect(publisher.closed).toBe(false);
  await publisher.stop();

  const { upload_session_id, video_id } = first.body;
  await ask(`/${id}/videos`, { upload_phase: 'cancel', upload_session_id });
  expect(await admin('owner', 'show', id)).toMatchObject({ stored_bytes: 0 });
  expect((await start(2_000)).status).toBe(200);
  expect((await airlock.request('DELETE', `/${video_id}`, {})).status).toBe(200);
  expect(await admin('owner', 'show', id)).toMatchObject({ stored_bytes: 2_000 });
  await expectUntouched(bystander);
});

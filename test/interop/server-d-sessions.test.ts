/** Rows of sections B, C and D of the interoperability cases that need a running server: sessions, keys, endings. */
import { readFileSync } from 'node:fs';
import { Airlock } from '../support/airlock.js';
import { Publisher } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_RECORD: 'off' });
}, 60_000);
afterAll(() => airlock.stop(), 30_000);

const START = 'NetStream.Publish.Start';
const second = () => synthStream({ durationMs: 1000 });
const statusOf = async (id: string): Promise<string> => (await airlock.get(`/${id}`, { fields: 'status' })).status;

test('B21: a corrupt chunk stream ends its own connection with a protocol error; others are untouched', async () => {
  const [good, bad] = [await airlock.createLive(), await airlock.createLive()];
  const bystander = await Publisher.open(airlock, good.key);
  const victim = await Publisher.open(airlock, bad.key);
  await victim.send(second());
  victim.writeRaw(Buffer.alloc(4096, 0xff));
  await victim.until(() => victim.closed);
  await bystander.send(second());
  expect(bystander.closed).toBe(false);
  const line = await airlock.until(
    async () => airlock.log.split('\n').find((text) => text.includes('"byteOffset"')),
    (found) => found !== undefined,
  );
  expect(JSON.parse(line!)).toMatchObject({
    level: 'warn',
    clause: expect.stringContaining('RTMP'),
    byteOffset: expect.any(Number),
  });
  await bystander.stop();
}, 30_000);

test('C19 C20 D6: a refusal is one onStatus with code and words, then the socket is destroyed within a second', async () => {
  const live = await airlock.createLive();
  const refused = await Publisher.open(airlock, `${live.key.slice(0, -3)}aaa`);
  const answeredMs = performance.now();
  await refused.until(() => refused.closed);
  expect(performance.now() - answeredMs).toBeLessThan(1500);
  expect(refused.statuses.map((status) => status.code)).toEqual(['NetStream.Publish.BadName']);
  expect(refused.statuses[0]!.description).not.toBe('');
});

test('C20: a broadcast that was ended tells its reason to the encoder that reconnects by itself', async () => {
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  await publisher.send(second());
  await airlock.until(
    () => statusOf(live.id),
    (status) => status === 'LIVE',
  );
  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  await publisher.until(() => publisher.closed);
  expect(publisher.statuses.at(-1)).toMatchObject({ level: 'error', code: 'NetStream.Publish.Rejected' });
  for (let attempt = 0; attempt < 3; attempt++) {
    const again = await Publisher.open(airlock, live.key);
    expect(again.statuses[0]).toMatchObject({
      code: 'NetStream.Publish.Rejected',
      description: expect.stringContaining('ended'),
    });
    await again.until(() => again.closed);
  }
}, 30_000);

test('C24: encoders that go between connect and publish leave nothing behind', async () => {
  const live = await airlock.createLive();
  for (let i = 0; i < 20; i++) (await Publisher.connectOnly(airlock, live.key)).cut();
  const publisher = await Publisher.open(airlock, live.key);
  expect(publisher.statuses[0]!.code).toBe(START);
  await publisher.stop();
}, 30_000);

test('D1 D4 D5: a silent connection loses its key to a newer one; the broadcast and its history go on', async () => {
  const live = await airlock.createLive();
  const old = await Publisher.open(airlock, live.key);
  await old.send(synthStream({ durationMs: 1000, channels: 1 }));
  await airlock.until(
    () => statusOf(live.id),
    (status) => status === 'LIVE',
  );
  const early = await Publisher.open(airlock, live.key);
  expect(early.statuses[0]).toMatchObject({
    code: 'NetStream.Publish.BadName',
    description: expect.stringContaining('already publishing'),
  });
  const next = await airlock.until(
    () => Publisher.open(airlock, live.key),
    (publisher) => publisher.statuses[0]?.code === START,
  );
  await old.until(() => old.closed);
  await next.send(synthStream({ durationMs: 1000, channels: 1 }));
  const rows = await airlock.until(
    () => airlock.errors(live.id),
    (found) => found.some((row) => row.error_code === 6504),
  );
  expect(rows.map((row) => row.error_code).sort()).toEqual([6304, 6504]);
  expect(await statusOf(live.id)).toBe('LIVE');
  await next.stop();
}, 30_000);

test('D3: the key is free as soon as the socket has closed', async () => {
  const live = await airlock.createLive();
  const first = await Publisher.open(airlock, live.key);
  await first.send(second());
  first.cut();
  await first.until(() => first.closed);
  await airlock.until(
    async () => (await airlock.get(`/${live.id}`, { fields: 'errors' })).errors?.data ?? [],
    (rows) => rows.some((row: { error_code: number }) => row.error_code === 6503),
  );
  const again = await Publisher.open(airlock, live.key);
  expect(again.statuses[0]!.code).toBe(START);
  await again.stop();
}, 30_000);

test('D9: ending the broadcast through the interface is safe in every state of a connection', async () => {
  for (const state of ['before publish', 'just accepted', 'with data'] as const) {
    const live = await airlock.createLive();
    const publisher =
      state === 'before publish'
        ? await Publisher.connectOnly(airlock, live.key)
        : await Publisher.open(airlock, live.key);
    if (state === 'with data') await publisher.send(second());
    const { status } = await airlock.request('DELETE', `/${live.id}`);
    expect(status).toBe(200);
    publisher.cut();
  }
  expect((await airlock.request('GET', '/healthz')).status).toBe(200);
}, 30_000);

test('D7 D12: hundreds of refusals and reconnects leave memory where it was', async () => {
  const residentMb = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${airlock.pid}/status`, 'utf8'))![1]) / 1024;
  const live = await airlock.createLive();
  const round = async (times: number, key: string) => {
    for (let i = 0; i < times; i++) {
      const publisher = await Publisher.open(airlock, key);
      publisher.cut();
    }
  };
  await round(50, '1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
  const beforeMb = residentMb();
  await round(250, '1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa');
  await round(50, live.key);
  expect(residentMb() - beforeMb).toBeLessThan(40);
  const publisher = await airlock.until(
    () => Publisher.open(airlock, live.key),
    (opened) => opened.statuses[0]?.code === START,
  );
  await publisher.stop();
}, 120_000);

/** Interoperability that needs a running server: sessions, stream keys, endings. */
import { Airlock } from '../support/airlock.js';
import { Publisher } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_RECORD: 'off' });
});
afterAll(() => airlock.stop());

const START = 'NetStream.Publish.Start';
const second = () => synthStream({ durationMs: 1000 });
const statusOf = async (id: string): Promise<string> => (await airlock.get(`/${id}`, { fields: 'status' })).status;

test('ends only the connection with a corrupt chunk stream, with a protocol error', async () => {
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
});

test('sends one onStatus with code and description on a refusal, then destroys the socket soon', async () => {
  const live = await airlock.createLive();
  const refused = await Publisher.open(airlock, `${live.key.slice(0, -3)}aaa`);
  const answeredMs = performance.now();
  await refused.until(() => refused.closed);
  // A second by the server's clock; without it, the limit on the time to publish ends the connection much later.
  expect(performance.now() - answeredMs).toBeLessThan(8_000);
  expect(refused.statuses.map((status) => status.code)).toEqual(['NetStream.Publish.BadName']);
  expect(refused.statuses[0]!.description).not.toBe('');
});

test('sends the reason of an ended broadcast to an encoder that reconnects automatically', async () => {
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
});

test('keeps no state of encoders that disconnect between connect and publish', async () => {
  const live = await airlock.createLive();
  for (let i = 0; i < 20; i++) (await Publisher.connectOnly(airlock, live.key)).cut();
  const publisher = await Publisher.open(airlock, live.key);
  expect(publisher.statuses[0]!.code).toBe(START);
  await publisher.stop();
});

test('hands the stream key of a silent connection to a newer one and continues the broadcast', async () => {
  const live = await airlock.createLive();
  const old = await Publisher.open(airlock, live.key);
  await old.send(synthStream({ durationMs: 1000, channels: 1 }));
  await airlock.until(
    () => statusOf(live.id),
    (status) => status === 'LIVE',
  );
  // Held until the old one has been silent for 3 s.
  const next = await Publisher.open(airlock, live.key);
  expect(next.statuses[0]!.code).toBe(START);
  await old.until(() => old.closed);
  await next.send(synthStream({ durationMs: 1000, channels: 1 }));
  const rows = await airlock.until(
    () => airlock.errors(live.id),
    (found) => found.some((row) => row.error_code === 6504),
  );
  expect(rows.map((row) => row.error_code).sort()).toEqual([6304, 6504]);
  expect(await statusOf(live.id)).toBe('LIVE');
  await next.stop();
});

test('releases the stream key when the socket closes', async () => {
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
});

test('ends a broadcast through the API in every state of a connection', async () => {
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
});

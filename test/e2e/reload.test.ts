/** `airlock reload` and `airlock drain`: streams go on while every process of the server is replaced. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { runCli } from '../support/cli.js';
import { ffmpeg, source } from '../support/ffmpeg.js';
import { knock } from '../support/knock.js';
import { ReturningPublisher, readClip } from '../support/returning-publisher.js';

const ROLES = ['store', 'ingest', 'web', 'media'] as const;
/** `CAPS_EX.reconnect` of Enhanced RTMP. */
const RECONNECTS = { connectProperties: { capsEx: 1 } };

let airlock: Airlock;
const publishers: ReturningPublisher[] = [];
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_DRAIN_S: '1', AIRLOCK_MEDIA_IDLE_S: '0' });
});
afterAll(async () => {
  for (const publisher of publishers) publisher.stop();
  await airlock.stop();
});

const command = (...args: string[]) =>
  runCli([...args, '--data-dir', join(airlock.folder, 'data')], { env: { AIRLOCK_LOG_LEVEL: 'warn' } });

test('publishers come through a replacement of every process as one broadcast and one recording', async () => {
  const file = join(airlock.folder, 'clip.flv');
  await ffmpeg([...source({ seconds: 10, size: '320x180', videoKbps: 300, realTime: false }), '-f', 'flv', file]);
  const clip = readClip(file);
  const lives = [await airlock.createLive(), await airlock.createLive(), await airlock.createLive()] as const;
  const moves = new ReturningPublisher(airlock, lives[0].key, clip, RECONNECTS);
  const drops = new ReturningPublisher(airlock, lives[1].key, clip, RECONNECTS, 'drop');
  const isCut = new ReturningPublisher(airlock, lives[2].key, clip);
  const all = [moves, drops, isCut];
  publishers.push(...all);
  const running = all.map((publisher) => publisher.run());
  await Promise.all(all.map((publisher) => publisher.accepted(1)));
  const before = ROLES.map((role) => airlock.pidOf(role));
  const knocking = knock(airlock.quickstart.rtmps_port);

  const reload = await command('reload');
  expect(reload).toMatchObject({ code: 0, stderr: '' });
  expect(reload.stdout.match(/^replaced +\w+/gm)?.map((line) => line.split(/ +/)[1])).toEqual([
    'media',
    'web',
    'ingest',
    'store',
  ]);
  const after = ROLES.map((role) => airlock.pidOf(role));
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  await Promise.all(all.map((publisher) => publisher.accepted(2)));
  expect(await knocking.stop()).toMatchObject({ refused: 0 });
  for (const publisher of all) {
    expect(publisher.failures).toEqual([]);
    expect(publisher.sessions).toHaveLength(2);
    publisher.stop();
  }
  await Promise.all(running);
  expect(all.map((publisher) => publisher.sessions[0]!.wasAsked)).toEqual([true, true, false]);

  // One that was asked unpublished, the other dropped its connection; the third was cut off by the server, not by its network.
  const rowsOf = async (id: string) => (await airlock.errors(id)).filter(({ error_code }) => error_code === 6503);
  for (const { id } of [lives[1], lives[2]]) {
    const found = await airlock.until(
      () => rowsOf(id),
      (rows) => rows.length > 0,
    );
    expect(found.map(({ description }) => description)).toEqual([expect.stringMatching('the server was updated')]);
  }
  expect(await rowsOf(lives[0].id)).toEqual([]);

  // A write gets a transient error until the web process has reached the new store process.
  for (const { id } of lives) {
    await airlock.until(
      () => airlock.post(`/${id}`, { end_live_video: 'true' }),
      (body) => body.error === undefined,
    );
  }
  for (const [at, publisher] of all.entries()) {
    const found = await airlock.until(
      () => airlock.get(`/${lives[at]!.id}`, { fields: 'status,video{length}' }),
      (body) => body.status === 'VOD',
    );
    const sentS = publisher.sessions.reduce((sum, { sentMs }) => sum + sentMs, 0) / 1_000;
    expect(Math.abs(found.video.length - sentS)).toBeLessThan(1);
  }
});

test('drain closes the stream ports and returns when no publisher is left', async () => {
  const live = await airlock.createLive();
  const drain = await command('drain', '--wait');
  expect(drain).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/disconnected in 1 s.*\nNo publisher is left/),
  });
  const probe = await airlock.get(`/${live.id}`, { fields: 'status' });
  expect(probe.status).toBe('UNPUBLISHED');
  const socket = connect(airlock.quickstart.rtmps_port, '127.0.0.1');
  const failed = await new Promise((resolve) => socket.once('error', resolve));
  expect(failed).toMatchObject({ code: 'ECONNREFUSED' });
});

test('drain and reload need a running server', async () => {
  for (const name of ['drain', 'reload']) {
    const { code, stderr } = await runCli([name, '--data-dir', join(airlock.folder, 'none')]);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/no server is running/)]);
  }
});

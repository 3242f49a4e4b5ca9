/**
 * Two servers behind one address are restarted one after the other: drained, stopped, started. An ffmpeg that tries again and a
 * byte-level Enhanced RTMP encoder come through as one broadcast and one recording each. Prints the gaps.
 */
import { join } from 'node:path';
import type { Airlock } from '../support/airlock.js';
import { ChaosSite } from '../support/chaos.js';
import { ffmpeg, source, start } from '../support/ffmpeg.js';
import { ReturningPublisher, readClip } from '../support/returning-publisher.js';

const DRAIN_S = 3;
/** More than a restarted session loses: what was under way, and up to a key frame interval of ffmpeg. */
const LOST_S = 3;

let site: ChaosSite;
let file: string;
beforeAll(async () => {
  site = await ChaosSite.start(2, { AIRLOCK_DRAIN_S: String(DRAIN_S) });
  file = join(site.servers[0]!.folder, 'clip.flv');
  await ffmpeg([...source({ seconds: 10, size: '320x180', videoKbps: 300, realTime: false }), '-f', 'flv', file]);
});
afterAll(() => site.stop());

/** Drains a server, stops it and starts it again, and waits until the balancer sends it streams. */
async function replace(server: Airlock): Promise<void> {
  const before = server.log.length;
  process.kill(server.pid, 'SIGUSR2');
  await server.until(
    async () => server.log.slice(before),
    (log) => log.includes('drained: no publisher is left'),
  );
  expect(await server.kill('SIGTERM')).toBe(0);
  await server.restart();
  await server.until(
    () => site.isReady(server),
    (isReady) => isReady,
  );
}

const publishesOf = (id: string): number[] =>
  site.servers
    .flatMap(({ log }) => log.split('\n'))
    .filter((line) => line.includes('"publish accepted"') && line.includes(id))
    .map((line) => Date.parse(JSON.parse(line).time) || Number(JSON.parse(line).time))
    .sort((a, b) => a - b);

test('ffmpeg and an Enhanced RTMP encoder come through as one broadcast and one recording', async () => {
  const [first, second] = [site.servers[0]!, site.servers[1]!];
  const lives = [await first.createLive(), await first.createLive()] as const;
  const moving = new ReturningPublisher(first, lives[0].key, readClip(file), {
    port: site.balancer.port,
    authorityFile: site.authorityFile,
    connectProperties: { capsEx: 1 },
  });
  const running = moving.run();
  const tool = start([
    ...['-re', '-stream_loop', '-1', '-i', file, '-map', '0', '-c', 'copy'],
    ...['-f', 'fifo', '-fifo_format', 'flv', '-attempt_recovery', '1', '-recover_any_error', '1'],
    ...['-recovery_wait_time', '0.3', '-drop_pkts_on_overflow', '1', '-restart_with_keyframe', '1'],
    ...['-format_opts', `tls_verify=1:ca_file=${site.authorityFile}`],
    `rtmps://localhost:${site.balancer.port}/live/${lives[1].key}`,
  ]);
  const toolStartedMs = performance.now();
  const isLive = (id: string) =>
    first.until(
      () => second.get(`/${id}`, { fields: 'status' }),
      (body) => body.status === 'LIVE',
    );
  await Promise.all(lives.map(({ id }) => isLive(id)));
  await replace(first);
  await Promise.all(lives.map(({ id }) => isLive(id)));
  await replace(second);
  // Both send for a while to the last server.
  await first.until(
    async () => moving.sessions.at(-1)?.sentMs ?? 0,
    (sentMs) => sentMs > 5_000,
  );
  tool.stop();
  const toolS = (performance.now() - toolStartedMs) / 1_000;
  await tool.done;
  moving.stop();
  await running;

  expect(moving.failures).toEqual([]);
  expect(moving.sessions.length).toBeGreaterThan(1);
  const sentS = moving.sessions.reduce((sum, { sentMs }) => sum + sentMs, 0) / 1_000;
  const gaps = moving.sessions.slice(1).map(({ gapMs }) => `${(gapMs / 1_000).toFixed(2)} s`);
  const recorded: number[] = [];
  for (const { id } of lives) {
    await second.post(`/${id}`, { end_live_video: 'true' });
    const found = await second.until(
      () => second.get(`/${id}`, { fields: 'status,video{length}' }),
      (body) => body.status === 'VOD' && body.video.length > (id === lives[0].id ? sentS - 1 : toolS - 2 * LOST_S),
    );
    recorded.push(found.video.length);
    const rows = (await second.errors(id)).reverse();
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_row, at) => at + 1));
    expect(rows.map(({ error_code }) => error_code).filter((code) => code === 6102)).toEqual([]);
  }
  process.stdout.write(
    `Enhanced RTMP: gaps ${gaps.join(', ')}; ${recorded[0]} s recorded of ${sentS.toFixed(1)} s sent\n` +
      `ffmpeg: ${publishesOf(lives[1].id).length} publishes; ${recorded[1]} s recorded in ${toolS.toFixed(1)} s\n`,
  );
  expect(Math.abs(recorded[0]! - sentS)).toBeLessThan(1);
  expect(publishesOf(lives[1].id).length).toBeGreaterThan(1);
  const { data } = await second.get(`/${second.quickstart.page_id}/videos`, { fields: 'id' });
  expect(data).toHaveLength(lives.length);
});

/** Two ffmpeg processes of different start, clock and settings send to one broadcast: what is recorded goes on over each switch. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Airlock } from '../support/airlock.js';
import { runCli } from '../support/cli.js';
import { over, type SourceOptions, source, start } from '../support/ffmpeg.js';

const run = promisify(execFile);

const AFTER_MS = 1_500;
const KEY_FRAMES_MS = 1_000;
/** For a busy machine, on which ffmpeg is late. */
const SLACK_MS = 1_500;

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_BACKUP_AFTER_MS: String(AFTER_MS) });
});
afterAll(() => airlock.stop());

const SMALL: SourceOptions = { size: '640x360', videoKbps: 600, keyFrames: 30, seconds: 120 };

function encode(url: string, more: SourceOptions = {}, clockMs = 0) {
  const offset = ['-output_ts_offset', String(clockMs / 1000)];
  return start([...source({ ...SMALL, ...more }), ...offset, ...over(url, airlock.authorityFile)]);
}

interface Input {
  readonly id: string;
  readonly secure_stream_url: string;
  readonly on_air: boolean;
  readonly stream_health?: { readonly audio_sample_rate: number };
}

test('a broadcast of two encoders plays through kill -9, SIGSTOP and a command', async () => {
  const live = await airlock.createLive({ enable_backup_ingest: 'true' });
  const inputs = async (): Promise<Input[]> => (await airlock.get(`/${live.id}/input_streams`)).data;
  const until = (holds: (found: readonly Input[]) => boolean) => airlock.until(inputs, holds);
  const onAir = (index: 0 | 1) => until((found) => found[index]?.on_air === true && found[1 - index]?.on_air === false);
  const [primaryUrl, backupUrl] = (await inputs()).map((input) => input.secure_stream_url) as [string, string];
  expect(backupUrl).not.toBe(primaryUrl);

  const primary = encode(primaryUrl);
  await onAir(0);
  // OBS's clock and ffmpeg's have nothing in common.
  const backup = encode(backupUrl, { audio: ['-c:a', 'aac', '-b:a', '96k', '-ac', '2', '-ar', '44100'] }, 4_000_000);
  const both = await until((found) =>
    found.every(({ stream_health }) => stream_health?.audio_sample_rate !== undefined),
  );
  expect(both.map(({ stream_health }) => stream_health?.audio_sample_rate)).toEqual([48_000, 44_100]);
  expect(both.map(({ on_air }) => on_air)).toEqual([true, false]);

  const [, { id: backupId }] = both as [Input, Input];
  const differs = await airlock.until(
    () => airlock.errors(live.id, { error_code: '6508' }),
    (found) => found.length > 0,
  );
  expect(differs).toMatchObject([{ input_stream: backupId, severity: 'warning' }]);

  primary.kill();
  await onAir(1);
  const again = encode(primaryUrl);
  await until((found) => found[0]?.stream_health !== undefined);
  backup.signal('SIGSTOP');
  await onAir(0);
  backup.signal('SIGCONT');
  await until((found) => found[1]?.stream_health !== undefined);
  const command = (...args: string[]) => runCli(['live', 'input', ...args, '--data-dir', join(airlock.folder, 'data')]);
  const listed = await command(live.id);
  expect(listed.stdout).toMatch(/primary +true/);
  expect(await command(backupId, '--on-air')).toMatchObject({ code: 0 });
  await onAir(1);
  expect(await airlock.get(`/${live.id}`, { fields: 'status,health_status' })).toMatchObject({ status: 'LIVE' });

  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  await Promise.all([again.done, backup.done]);
  const records = await airlock.errors(live.id);
  const switches = records.filter(({ error_code }) => error_code === 6507);
  expect(switches.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  for (const { description } of switches) expect(description).toMatch(/(gap|overlap) \d+ ms/);
  expect(records.map(({ error_code }) => error_code)).not.toContain(6403);
  expect(records.every((record) => record.input_stream !== undefined)).toBe(true);

  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'VOD',
  );
  const { video } = await airlock.get(`/${live.id}`, { fields: 'video{source,length}' });
  const packets = ['-v', 'error', '-show_entries', 'packet=codec_type,dts_time', '-of', 'csv=p=0', video.source];
  const { stdout } = await run('ffprobe', packets, { maxBuffer: 64 * 1024 * 1024 });
  const rows = stdout.trim().split('\n');
  for (const kind of ['video', 'audio']) {
    const times = rows.filter((row) => row.startsWith(kind)).map((row) => Number(row.split(',')[1]) * 1000);
    const steps = times.slice(1).map((ms, at) => ms - (times[at] as number));
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...steps)).toBeLessThan(AFTER_MS + KEY_FRAMES_MS + SLACK_MS);
    expect(Math.abs((times.at(-1) as number) / 1000 - video.length)).toBeLessThan(1);
  }
}, 120_000);

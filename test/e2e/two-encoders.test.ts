/** Two ffmpeg processes of different start, clock and settings send to one broadcast: what is recorded goes on over each switch. */

import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { runCli } from '../support/cli.js';
import {
  AFTER_MS,
  EncoderPair,
  expectNeverBack,
  expectPlaysThrough,
  KEY_FRAMES_MS,
  SLACK_MS,
} from '../support/encoder-pair.js';
import { inFull } from '../support/in-full.js';
import { RtmpTarget } from '../support/rtmp-target.js';

let airlock: Airlock;
let target: RtmpTarget;
beforeAll(async () => {
  airlock = await Airlock.start({
    AIRLOCK_BACKUP_AFTER_MS: String(AFTER_MS),
    AIRLOCK_FORWARD_NETWORKS: '127.0.0.0/8:1-65535',
  });
  target = await new RtmpTarget().listen();
});
afterAll(async () => {
  await airlock.stop();
  await target.close();
});

inFull(
  'a broadcast of two encoders plays through kill -9, SIGSTOP and a command',
  async () => {
    const pair = await EncoderPair.create(airlock);
    const [, { id: backupId }] = pair.inputs;
    expect(pair.inputs[0].secure_stream_url).not.toBe(pair.inputs[1].secure_stream_url);
    await airlock.post(`/${pair.id}/forwards`, { url: target.url(), stream_key: 'abc', name: 'Origin' });

    const primary = pair.encode(0);
    await pair.onAir(0);
    // OBS's clock and ffmpeg's have nothing in common.
    const other = { audio: ['-c:a', 'aac', '-b:a', '96k', '-ac', '2', '-ar', '44100'] };
    const backup = pair.encode(1, airlock, other, 4_000_000);
    const both = await pair.both();
    expect(both.map(({ stream_health }) => stream_health?.audio_sample_rate)).toEqual([48_000, 44_100]);
    expect(both.map(({ on_air }) => on_air)).toEqual([true, false]);
    const differs = await airlock.until(
      () => airlock.errors(pair.id, { error_code: '6508' }),
      (found) => found.length > 0,
    );
    expect(differs).toMatchObject([{ input_stream: backupId, severity: 'warning' }]);
    const viewer = pair.preview();
    await viewer.until(() => viewer.frames.length > 0);

    primary.kill();
    await pair.onAir(1);
    const again = pair.encode(0);
    await pair.until((found) => found[0]?.stream_health !== undefined);
    backup.signal('SIGSTOP');
    await pair.onAir(0);
    backup.signal('SIGCONT');
    await pair.until((found) => found[1]?.stream_health !== undefined);
    const command = (...args: string[]) =>
      runCli(['live', 'input', ...args, '--data-dir', join(airlock.folder, 'data')]);
    const listed = await command(pair.id);
    expect(listed.stdout).toMatch(/primary +true/);
    expect(await command(backupId, '--on-air')).toMatchObject({ code: 0 });
    await pair.onAir(1);
    expect(await airlock.get(`/${pair.id}`, { fields: 'status,health_status' })).toMatchObject({ status: 'LIVE' });
    const [seen, shown] = [target.messages.length, viewer.frames.length];
    await target.until(() => target.messages.length > seen + 50);
    await viewer.until(() => viewer.frames.length > shown + 20);

    const recorded = await pair.recorded();
    await Promise.all([again.done, backup.done]);
    const records = await airlock.errors(pair.id);
    const switches = records.filter(({ error_code }) => error_code === 6507);
    expect(switches.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    for (const { description } of switches) expect(description).toMatch(/(gap|overlap) \d+ ms/);
    expect(records.map(({ error_code }) => error_code)).not.toContain(6403);
    expect(records.every((record) => record.input_stream !== undefined)).toBe(true);

    await expectPlaysThrough(recorded, AFTER_MS + KEY_FRAMES_MS + SLACK_MS);
    // One preview and one forward: neither began anew.
    expectNeverBack(viewer.tags);
    expect(target.connections).toHaveLength(1);
    expectNeverBack(target.messages);
  },
  120_000,
);

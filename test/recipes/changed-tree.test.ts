/**
 * The recipes for a detector and for an ingest protocol (CONTRIBUTING.md), carried out in a copy of the sources that is built and
 * started: the added detector measures a stream that comes over the added protocol. `test/long` checks the types of the copy.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { buildChangedTree } from '../support/changed-tree.js';
import { ffmpeg } from '../support/ffmpeg.js';
import { freePort } from '../support/redis-server.js';
import { temporaryFolderOfFile } from '../support/store-harness.js';
import { DETECTOR } from './detector/changes.js';
import { toneShare } from './detector/test-tone.js';
import { PROTOCOL } from './protocol/changes.js';

const folder = temporaryFolderOfFile();
let airlock: Airlock;
let port: number;
beforeAll(async () => {
  const main = buildChangedTree(join(folder.path, 'tree'), [DETECTOR, PROTOCOL], 'unchecked');
  port = await freePort();
  airlock = await Airlock.start({ AIRLOCK_FLV_PORT: String(port) }, undefined, [], main);
});
afterAll(async () => {
  await airlock?.stop();
  folder.remove();
});

test('the detector raises its record in a stream of the protocol', async () => {
  const file = join(folder.path, 'tone.flv');
  await ffmpeg([
    ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=30:d=3', '-f', 'lavfi', '-i', 'sine=f=1000:r=44100:d=3'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-c:a', 'aac', '-ac', '2', '-f', 'flv', file],
  ]);
  const { id, key } = await airlock.createLive();
  const socket = connect(port, '127.0.0.1').resume();
  socket.write(Buffer.concat([Buffer.from(`${key}\n`), readFileSync(file)]));
  const found = await airlock.until(
    async () => (await airlock.errors(id)).find(({ error_type }) => error_type === 'AUDIO_TEST_TONE'),
    (record) => record !== undefined,
  );
  socket.destroy();
  expect(found?.description).toMatch(/^\[6698 AUDIO_TEST_TONE\] .*1 kHz \((?:9\d|100)% of the sound\)\. Switch the/);
});

test('the port of the protocol is compared with the others', async () => {
  const same = { AIRLOCK_RTMP_PORT: String(port), AIRLOCK_FLV_PORT: String(port) };
  await expect(Airlock.start(same, join(folder.path, 'refused'), [], airlock.main)).rejects.toThrow(
    `AIRLOCK_FLV_PORT is the same port as AIRLOCK_RTMP_PORT: ${port}`,
  );
});

test('the detector tells a tone from two', () => {
  const rate = 11_025;
  const sound = (...tones: number[]) =>
    Int16Array.from({ length: rate }, (_, at) =>
      tones.reduce((sum, hz) => sum + 8_000 * Math.sin((2 * Math.PI * hz * at) / rate), 0),
    );
  const share = (...tones: number[]) => toneShare(new Uint8Array(sound(...tones).buffer), rate);
  expect(share(1_000)).toBeGreaterThan(0.99);
  expect(share(1_000, 600)).toBeLessThan(0.6);
  expect(share(600)).toBeLessThan(0.01);
});

/** The wall clock of the machine jumps during a broadcast; `test/long` has it jump during a restart. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serversOfEachTest } from '../support/airlock.js';
import { Publisher, paced } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

const server = serversOfEachTest();

const HOUR_MS = 3_600_000;
const small = { videoKbps: 600, width: 640, height: 360, levelIdc: 30 };

test('a clock set back by an hour: the broadcast continues, records keep their order, the encoder can reconnect', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'airlock-clock-')), 'off');
  writeFileSync(file, '0');
  const preload = pathToFileURL(join(import.meta.dirname, '..', 'support', 'clock-file.mjs')).href;
  const airlock = await server({
    NODE_OPTIONS: `--import=${preload}`,
    CLOCK_FILE: file,
    AIRLOCK_LOG_LEVEL: 'warn',
  });
  const live = await airlock.createLive();
  const publisher = await Publisher.open(airlock, live.key);
  const changes = [{ atMs: 2_500, width: 426, height: 240 }];
  const sending = publisher.send(paced(synthStream({ durationMs: 5_000, channels: 1, changes, ...small })));
  await publisher.status('NetStream.Publish.Violation');
  writeFileSync(file, String(-HOUR_MS));
  await publisher.status('NetStream.Publish.Violation', (status) => status.fields.error_code === 6403);
  await sending;
  expect(publisher.closed).toBe(false);
  expect((await airlock.get(`/${live.id}`, { fields: 'status' })).status).toBe('LIVE');
  publisher.cut();
  const rows = await airlock.until(
    () => airlock.errors(live.id),
    (found) => found.some((row) => row.error_code === 6503),
  );
  const raisedAt = (code: number) => Date.parse(rows.find((row) => row.error_code === code)?.timestamp ?? '');
  expect(raisedAt(6403)).toBeLessThan(raisedAt(6304));
  // Newest first by sequence, regardless of the clock.
  expect(rows.map((row) => row.sequence)).toEqual(rows.map((_row, at) => rows.length - at));
  const back = await airlock.until(
    () => Publisher.open(airlock, live.key),
    (opened) => opened.statuses[0]?.code === 'NetStream.Publish.Start',
  );
  expect((await airlock.get(`/${live.id}`, { fields: 'status' })).status).toBe('LIVE');
  await back.stop();
  expect((await airlock.request('GET', '/me')).status).toBe(200);
  await airlock.stop();
});

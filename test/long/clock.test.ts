/** The wall clock of the machine jumps while the server is restarted during a broadcast. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serversOfEachTest } from '../support/airlock.js';
import { Publisher, paced } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

const server = serversOfEachTest();

const HOUR_MS = 3_600_000;
const LEFT_MS = 25_000;
const small = { videoKbps: 600, width: 640, height: 360, levelIdc: 30 };

test('a clock set back during a restart: the elapsed duration and the first settings are kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-clock-'));
  const file = join(folder, 'off');
  const preload = pathToFileURL(join(import.meta.dirname, '..', 'support', 'clock-file.mjs')).href;
  writeFileSync(file, '0');
  const airlock = await server({
    NODE_OPTIONS: `--import=${preload}`,
    CLOCK_FILE: file,
    AIRLOCK_LOG_LEVEL: 'warn',
    AIRLOCK_RECORD: 'off',
    AIRLOCK_RECONNECT_GRACE_S: '32400',
  });
  const live = await airlock.createLive();
  const publish = async (durationMs: number, more = {}) => {
    const publisher = await Publisher.open(airlock, live.key);
    expect(publisher.statuses[0]).toMatchObject({ code: 'NetStream.Publish.Start' });
    const sending = publisher.send(paced(synthStream({ durationMs, ...small, ...more })));
    return { publisher, sending };
  };
  const first = await publish(2_000);
  await first.sending;
  expect(await airlock.kill('SIGTERM')).toBe(0);
  // The 8 hours must not end before the next restart, which takes seconds on a busy machine.
  writeFileSync(file, String(8 * HOUR_MS - LEFT_MS));
  await airlock.restart();
  const second = await publish(2_000);
  // Raised before the encoder is back when the server finds the interrupted broadcast first.
  await airlock.until(
    () => airlock.errors(live.id),
    (rows) => rows.some((row) => row.error_code === 6502),
  );
  await second.sending;
  expect(await airlock.kill('SIGTERM')).toBe(0);
  writeFileSync(file, '0');
  await airlock.restart();
  const third = await publish(LEFT_MS + 15_000, { width: 426, height: 240 });
  await third.publisher.status('NetStream.Publish.Violation', (status) => status.fields.error_code === 6403);
  const end = await third.publisher.status('NetStream.Publish.Rejected');
  expect(end.fields).toMatchObject({ error_code: 6501 });
  await third.sending.catch(() => undefined);
  expect((await airlock.get(`/${live.id}`, { fields: 'status' })).status).toBe('LIVE_STOPPED');
});

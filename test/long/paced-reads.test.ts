/**
 * Streams that are read at intervals (docs/decisions/0024-reads-at-intervals.md): ten publishers of one ingest process, older
 * than 10 s. What is noticed while their bytes rest in the kernel, and what their recordings hold.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readWaiting } from '../../src/ingest/sockets/kernel-queues.js';
import { Airlock } from '../support/airlock.js';
import { Bystander, expectUntouched } from '../support/bystander.js';
import { ffmpeg, over, source, start } from '../support/ffmpeg.js';
import { Publisher, paced } from '../support/publisher.js';
import { type SynthMessage, synthStream } from '../support/synth-stream.js';

const run = promisify(execFile);

const OTHERS = 8;
const STREAM = { videoKbps: 450, width: 640, height: 360, levelIdc: 30 };
/** The header of sound of one channel: AAC LC, 48 kHz. */
const ONE_CHANNEL = Uint8Array.of(0xaf, 0, 0x11, 0x88);
const SENT_S = 25;

const folder = mkdtempSync(join(tmpdir(), 'airlock-paced-'));
const file = join(folder, 'sent.flv');

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_OWNER_MAX_PUBLISHERS: '0' });
  const encoded = source({ seconds: SENT_S, size: '640x360', videoKbps: 700, realTime: false });
  await ffmpeg([...encoded, '-f', 'flv', file]);
}, 60_000);
afterAll(async () => {
  await airlock.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

const filed = (url: string, ...more: readonly string[]) =>
  start(['-re', ...more, '-i', file, '-c', 'copy', ...over(url, airlock.authorityFile)]);

/** Publishes in real time; after `breakRule`, with sound of one channel. */
async function encoder(params: Record<string, string> = {}) {
  const live = await airlock.createLive(params);
  const publisher = await Publisher.open(airlock, live.key);
  let isBreaking = false;
  async function* sent(): AsyncGenerator<SynthMessage> {
    for await (const message of paced(synthStream({ ...STREAM, durationMs: 600_000 }))) {
      if (isBreaking) yield { kind: 'audio', timestampMs: message.timestampMs, payload: ONE_CHANNEL };
      isBreaking = false;
      yield message;
    }
  }
  void publisher.send(sent());
  const breakRule = () => {
    isBreaking = true;
  };
  return { live, publisher, breakRule };
}

const isLive = ({ id }: { id: string }) =>
  airlock.until(
    () => airlock.get(`/${id}`, { fields: 'status' }),
    ({ status }) => status === 'LIVE',
  );

/** Connections of the server whose bytes wait in the kernel at this moment. */
async function resting(): Promise<number> {
  const port = `${airlock.quickstart.rtmps_port} `;
  return [...((await readWaiting()) ?? [])].filter(([key, bytes]) => key.startsWith(port) && bytes > 0).length;
}

/** MD5 of each packet of a track, in order. */
async function packetsOf(media: string, track: 'v' | 'a'): Promise<string[]> {
  const entries = ['-show_entries', 'packet=data_hash', '-show_data_hash', 'md5', '-of', 'csv=p=0'];
  const options = { maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await run('ffprobe', ['-v', 'error', '-select_streams', track, ...entries, media], options);
  return stdout.trim().split('\n');
}

test('a violation, an unpublish and a killed encoder are noticed, and every byte is recorded', async () => {
  // The last publishes to become old enough are those of the others.
  const kept = await airlock.createLive({ stop_on_delete_stream: 'true' });
  const killed = await airlock.createLive();
  const dies = filed(killed.url, '-stream_loop', '-1');
  const whole = filed(kept.url);
  const stops = await encoder({ stop_on_delete_stream: 'true' });
  await Promise.all([kept, killed, stops.live].map(isLive));
  const bystander = await Bystander.start(airlock);
  const others = await Promise.all(Array.from({ length: OTHERS }, () => encoder()));

  // Where all are read as they arrive, hardly any byte is found there.
  await airlock.until(resting, (count) => count >= OTHERS / 2);

  const breaks = others[0] as (typeof others)[0];
  breaks.breakRule();
  const pushed = await breaks.publisher.status(
    'NetStream.Publish.Violation',
    ({ fields }) => fields.error_code === 6304,
  );
  await airlock.until(
    () => airlock.errors(breaks.live.id),
    (rows) => rows.some(({ id }) => id === pushed.fields.id),
  );

  await stops.publisher.stop();
  await airlock.until(
    () => airlock.get(`/${stops.live.id}`, { fields: 'status' }),
    ({ status }) => status !== 'LIVE',
  );

  dies.kill();
  await airlock.until(
    () => airlock.errors(killed.id),
    (rows) => rows.some(({ error_code }) => error_code === 6503),
  );

  // So far all of it happened while streams were read at intervals.
  await airlock.until(resting, (count) => count >= OTHERS / 2);
  expect((await whole.done).code).toBe(0);
  await expectUntouched(bystander);
  for (const { publisher } of others) {
    expect(publisher.closed).toBe(false);
    publisher.cut();
  }
  const { video } = await airlock.until(
    () => airlock.get(`/${kept.id}`, { fields: 'status,video{source}' }),
    ({ status }) => status === 'VOD',
  );
  for (const track of ['v', 'a'] as const) {
    const sent = await packetsOf(file, track);
    expect(sent.length).toBeGreaterThan(25 * SENT_S);
    expect(await packetsOf(video.source, track)).toEqual(sent);
  }
});

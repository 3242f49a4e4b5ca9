/** The processes of the roles together show what one process shows: charts, metrics, samples checked by ffprobe. */
import { Airlock } from '../support/airlock.js';
import { NEWER_NODE_MB, residentMb } from '../support/process-memory.js';
import { Publisher, paced } from '../support/publisher.js';
import { synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
let residentAtStartMb: number;
let live: Awaited<ReturnType<Airlock['createLive']>>;
let publisher: Publisher;
let sending: Promise<unknown>;

beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_MEDIA_IDLE_S: '0' });
  residentAtStartMb = residentMb(airlock.pid);
  live = await airlock.createLive();
  publisher = await Publisher.open(airlock, live.key);
  sending = publisher.send(paced(synthStream({ durationMs: 60_000 }))).catch(() => undefined);
}, 60_000);
afterAll(async () => {
  publisher.cut();
  await sending;
  await airlock.stop();
}, 60_000);

async function metrics(): Promise<Map<string, number>> {
  const text = await (await fetch(`${airlock.quickstart.http_url}/metrics`)).text();
  return new Map(
    text.split('\n').map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('the history of a running broadcast has what its ingest process has not saved yet', async () => {
  const headers = { Authorization: `Bearer ${airlock.quickstart.access_token}` };
  const url = new URL(`/dashboard/data/history/${live.id}`, airlock.quickstart.http_url);
  const read = async () => (await (await fetch(url, { headers })).json()) as { points: number[][] };
  // The first save is due after a minute.
  const { points } = await airlock.until(read, (found) => found.points.length >= 2);
  expect(Date.now() - (points.at(-1)?.[0] ?? 0)).toBeLessThan(45_000);
});

test('all processes together take little memory after a start', () => {
  // 300 MB at rest, and what the first start needs to make keys and certificates.
  expect(residentAtStartMb).toBeGreaterThan(150);
  expect(residentAtStartMb).toBeLessThan(345 + NEWER_NODE_MB);
});

test('metrics tell what each role uses, and the sum', async () => {
  const roles = ['supervisor', 'store', 'ingest', 'media', 'web'];
  const value = (seen: Map<string, number>, name: string, role: string) => seen.get(`${name}{role="${role}"}`) ?? 0;
  const seen = await airlock.until(metrics, (found) =>
    roles.every((role) => value(found, 'airlock_role_resident_bytes', role) > 0),
  );
  for (const role of roles) {
    expect(value(seen, 'airlock_role_heap_bytes', role)).toBeGreaterThan(1_000_000);
    expect(value(seen, 'airlock_role_cpu_seconds_total', role)).toBeGreaterThan(0);
  }
  const sum = roles.reduce((total, role) => total + value(seen, 'airlock_role_resident_bytes', role), 0);
  expect(seen.get('airlock_resident_bytes')).toBe(sum);
  expect(seen.get('airlock_http_body_limit_bytes')).toBeGreaterThan(0);
  expect(seen.get('airlock_publishers')).toBe(1);
});

test('a sample of the stream is checked by the media process; without one the stream goes on', async () => {
  await airlock.until(metrics, (seen) => seen.get('airlock_probe_samples_total') === 1);
  const pid = airlock.pidOf('media');
  process.kill(pid, 'SIGKILL');
  await airlock.until(metrics, (seen) => seen.get('airlock_role_restarts_total{role="media"}') === 1);
  expect(publisher.closed).toBe(false);
});

test('the ingest process does not answer: it is replaced, and its encoder returns to the same broadcast', async () => {
  const pid = airlock.pidOf('ingest');
  process.kill(pid, 'SIGSTOP');
  await publisher.until(() => publisher.closed);
  await sending;
  publisher = await airlock.until(
    () => Publisher.open(airlock, live.key),
    (opened) => opened.statuses[0]?.code === 'NetStream.Publish.Start',
  );
  sending = publisher.send(paced(synthStream({ durationMs: 60_000 }))).catch(() => undefined);
  await airlock.until(metrics, (seen) => seen.get('airlock_publishers') === 1);
  expect(airlock.pidOf('ingest')).not.toBe(pid);
  const rows = await airlock.until(
    () => airlock.errors(live.id),
    (found) => found.some((row) => row.error_code === 6503),
  );
  const observed = rows.find((row) => row.error_code === 6503)?.observed;
  const [, seconds] =
    /^the server that received it stopped; up to ([\d.]+) s of the stream are missing$/.exec(String(observed)) ?? [];
  // A process that a signal has stopped is replaced at the second ping that it does not answer.
  expect(Number(seconds)).toBeGreaterThan(1.5);
});

test('LIVE_NOW for a stream that already sends takes effect at once', async () => {
  const preview = await airlock.createLive({ status: 'UNPUBLISHED' });
  const encoder = await Publisher.open(airlock, preview.key);
  const stream = encoder.send(paced(synthStream({ durationMs: 60_000 }))).catch(() => undefined);
  const fields = { fields: 'status,ingest_streams' };
  await airlock.until(
    async () => (await airlock.get(`/${preview.id}`, fields)).ingest_streams,
    (streams) => Number(streams?.[0]?.stream_health?.video_framerate ?? 0) > 0,
  );
  await airlock.post(`/${preview.id}`, { status: 'LIVE_NOW' });
  const status = async () => (await airlock.get(`/${preview.id}`, fields)).status;
  expect(await airlock.until(status, (now) => now !== 'UNPUBLISHED')).toBe('LIVE');
  await encoder.stop();
  await stream;
  await airlock.post(`/${preview.id}`, { end_live_video: 'true' });
});

/** The processes of the roles together show what one process shows: charts, metrics, samples checked by ffprobe. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { inFull } from '../support/in-full.js';
import { NEWER_NODE_MB, residentMb } from '../support/process-memory.js';
import { titleOf } from '../support/process-tree.js';
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

async function metricsText(): Promise<string> {
  return (await fetch(`${airlock.quickstart.http_url}/metrics`)).text();
}

async function metrics(): Promise<Map<string, number>> {
  const text = await metricsText();
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

inFull('LIVE_NOW for a stream that already sends takes effect at once', async () => {
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

/** Alert rules, their tests and the dashboard of Grafana use only metrics and labels that a running server exports. */
describe('alerts', () => {
  const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'operations');
  const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

  /** What Prometheus adds to every series. */
  const OF_THE_SCRAPE = ['job', 'instance'];

  /** Labels by name of a series, of which a histogram has several. */
  let exported: Map<string, Set<string>>;
  beforeAll(async () => {
    // A metric with labels has series once there is something to count.
    const refused = await Publisher.open(airlock, `${airlock.quickstart.live_video_id}-wrong`);
    refused.cut();
    for (const pid of airlock.pids.filter((each) => titleOf(each) === 'airlock-web')) process.kill(pid, 'SIGKILL');
    await airlock.until(
      () => metricsText().catch(() => ''),
      (seen) => seen.includes('airlock_role_restarts_total{role="web"} 1'),
    );
    // Again: an answer does not count itself.
    exported = labelsOf(await metricsText());
  });

  function labelsOf(text: string): Map<string, Set<string>> {
    const found = new Map<string, Set<string>>();
    for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
      const known = found.get(name) ?? new Set(OF_THE_SCRAPE);
      for (const label of matchers(labels)) known.add(label);
      found.set(name, known);
    }
    return found;
  }

  const matchers = (text: string): string[] =>
    [...text.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label);

  interface Query {
    readonly where: string;
    readonly expr: string;
    /** Labels that its summary or legend shows. */
    readonly shown: readonly string[];
  }

  /** What is not there: metrics, labels that select or group, and labels that are shown and not in the result. */
  function unknownIn({ expr, shown }: Query): string[] {
    const faults: string[] = [];
    const used = [...expr.matchAll(/\b((?:airlock|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g)];
    if (used.length === 0) faults.push('no metric');
    const kept = new Set<string>();
    for (const [, name = '', selected = ''] of used) {
      const labels = name === 'up' ? new Set(OF_THE_SCRAPE) : exported.get(name);
      if (labels === undefined) faults.push(name);
      for (const label of matchers(selected)) if (labels?.has(label) === false) faults.push(`${name}{${label}}`);
      for (const label of labels ?? []) kept.add(label);
    }
    const [, added] = /label_replace\(.*?, "(\w+)"/.exec(expr) ?? [];
    if (added !== undefined) kept.add(added);
    const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].map(([, names = '']) => names.split(/,\s*/));
    for (const label of groups.flat()) if (!kept.has(label)) faults.push(`by (${label})`);
    const isSummed = /^(?:sum|min|max|histogram_quantile)\b/.test(expr);
    const left = isSummed ? new Set(groups.flat()) : kept;
    return [...faults, ...shown.filter((label) => !left.has(label)).map((label) => `{{ ${label} }}`)];
  }

  const alerts = (): Query[] =>
    read('alerts.yml')
      .split(/^ +- alert: /m)
      .slice(1)
      .map((rule) => ({
        where: rule.slice(0, rule.indexOf('\n')),
        expr: /^ +expr: (.+)$/m.exec(rule)?.[1] ?? '',
        shown: [...rule.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label),
      }));

  function panels(): Query[] {
    const { panels: all } = JSON.parse(read('grafana-dashboard.json')) as {
      panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[];
    };
    return all.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({
        where: title,
        expr,
        shown: [...legendFormat.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, label = '']) => label),
      })),
    );
  }

  test.each([
    ['alert rules', alerts, 16],
    ['panels', panels, 30],
  ])('%s use metrics and labels that are there', (_name, queries, atLeast) => {
    const all = queries();
    expect(all.length).toBeGreaterThanOrEqual(atLeast);
    const faults = all.map((query) => [query.where, unknownIn(query)] as const);
    expect(faults.filter(([, unknown]) => unknown.length > 0)).toEqual([]);
  });

  test('the tests of the alerts feed series as a server exports them, with all of their labels', () => {
    const series = [...read('alerts.test.yml').matchAll(/series:\s+'(\w+)\{(.*?)\}'/g)];
    expect(series.length).toBeGreaterThan(20);
    const faults = series.filter(([, name = '', labels = '']) => {
      const known = [...(exported.get(name) ?? ['missing'])].filter((label) => !OF_THE_SCRAPE.includes(label)).sort();
      const fed = matchers(labels).filter((label) => !OF_THE_SCRAPE.includes(label));
      return JSON.stringify(fed.sort()) !== JSON.stringify(known);
    });
    expect(faults.map(([text]) => text)).toEqual([]);
  });

  test('an alert reads the ends of every role, the recordings, the disk, the certificate and forwards', async () => {
    const text = await metricsText();
    const roles = [...text.matchAll(/^airlock_role_restarts_total\{role="(\w+)"\} \d/gm)].map(([, role]) => role);
    expect(roles).toEqual(['store', 'ingest', 'media', 'web', 'forward']);
    const [, expires = ''] = /^airlock_certificate_expires_timestamp_seconds (\S+)$/m.exec(text) ?? [];
    expect(Number(expires)).toBeGreaterThan(Date.now() / 1000);
    const read = alerts().map(({ expr }) => expr);
    for (const name of [
      'airlock_role_restarts_total',
      'airlock_recordings_paused',
      'airlock_recordings_stopped_total',
      'airlock_disk_free_bytes',
      'airlock_certificate_expires_timestamp_seconds',
      'airlock_forward_states',
    ]) {
      expect([name, read.some((expr) => expr.includes(name))]).toEqual([name, true]);
    }
  });

  test('a metric or a label that no server exports is found', () => {
    const unknown = (expr: string, ...shown: string[]) => unknownIn({ where: '', expr, shown });
    expect(unknown('increase(airlock_gone_total[5m]) > 0')).toEqual(['airlock_gone_total']);
    expect(unknown('airlock_store_up{role="web"} == 0')).toEqual(['airlock_store_up{role}']);
    expect(unknown('sum by (code) (airlock_violations_total)')).toEqual(['by (code)']);
    expect(unknown('sum by (role) (airlock_role_resident_bytes)', 'instance')).toEqual(['{{ instance }}']);
    expect(unknown('airlock_publishers', 'role')).toEqual(['{{ role }}']);
  });
});

/** The metrics, their documentation, the Grafana dashboard and the alert rules speak of the same things. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createMetrics } from '../../src/server/metrics/metrics.js';
import { memoryLog, realClock } from '../support/store-harness.js';

const FOLDER = join(import.meta.dirname, '..', '..', 'docs', 'operations');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

const NAME = /\b(?:airlock|process|nodejs)_[a-z0-9_]+\b/g;
/** A histogram is read by its parts. */
const family = (name: string): string => name.replace(/_(?:bucket|count|sum)$/, '');

async function names(): Promise<Set<string>> {
  const metrics = createMetrics({
    values: () => ({}),
    shared: {
      spoolBytes: async () => 0,
      disk: async () => ({ freeBytes: 1, reserveBytes: 1 }),
      jobs: async () => ({}),
      certificateExpiresMs: async () => 0,
    },
    store: { name: 'lmdb', ping: async () => undefined },
    isOpenToLoopback: true,
    authorize: async () => false,
    clock: realClock,
    log: memoryLog(),
  });
  const server = createServer(metrics.handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const text = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`)).text();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1] ?? ''));
}

test('documents exactly the metrics of Airlock', async () => {
  const ours = [...(await names())].filter((name) => name.startsWith('airlock_')).sort();
  const documented = [...read('metrics.md').matchAll(/^\| `(airlock_[a-z0-9_]+)`/gm)].map((match) => match[1]).sort();
  expect(documented).toEqual(ours);
});

test.each(['grafana-dashboard.json', 'alerts.yml', 'metrics.md'])('%s names metrics that exist', async (file) => {
  const known = await names();
  const used = [...new Set([...read(file).matchAll(NAME)].map((match) => family(match[0])))];
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => !known.has(name))).toEqual([]);
});

test('the dashboard is JSON, its panels have queries and do not overlap', () => {
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as {
    panels: {
      type: string;
      title: string;
      gridPos: { x: number; y: number; w: number; h: number };
      targets?: { expr: string }[];
    }[];
  };
  for (const panel of panels) {
    if (panel.type !== 'row')
      expect([panel.title, (panel.targets ?? []).every(({ expr }) => expr !== '')]).toEqual([panel.title, true]);
    const { x, y, w, h } = panel.gridPos;
    const covers = panels.filter(
      ({ gridPos: other }) => x < other.x + other.w && other.x < x + w && y < other.y + other.h && other.y < y + h,
    );
    expect(covers.map((each) => each.title)).toEqual([panel.title]);
  }
});

test('each alert has a section with its remedy', () => {
  const alerts = [...read('alerts.yml').matchAll(/- alert: (\w+)/g)].map((match) => match[1] ?? '');
  const runbooks = [...read('alerts.yml').matchAll(/runbook: "metrics\.md#(\w+)"/g)].map((match) => match[1]);
  const sections = [...read('metrics.md').matchAll(/^### (\w+)$/gm)].map((match) => match[1]);
  expect(runbooks).toEqual(alerts.map((alert) => alert.toLowerCase()));
  expect(sections).toEqual(alerts);
});

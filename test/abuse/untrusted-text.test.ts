/** Text of streams, titles, targets and servers on its way to terminals, log lines, reports and page titles. */
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileRecord } from '../../src/check/file-report.js';
import { findingsReport } from '../../src/cli/reports/findings.js';
import { githubReport } from '../../src/cli/reports/github.js';
import { junitReport } from '../../src/cli/reports/junit.js';
import type { FileReport } from '../../src/cli/reports/report.js';
import { sarifReport } from '../../src/cli/reports/sarif.js';
import { textReport } from '../../src/cli/reports/text.js';
import { adminSocketPath } from '../../src/config/data-folder.js';
import { loadConfig } from '../../src/config/load.js';
import { pageTitle } from '../../src/dashboard/web/shared/format.js';
import { visible, visibleJson } from '../../src/lib/visible.js';
import type { LiveVideoData } from '../../src/lifecycle/documents.js';
import { htmlReport } from '../../src/report/html.js';
import { liveReport } from '../../src/report/report.js';
import { adminHandler } from '../../src/server/admin/handler.js';
import { HttpListener } from '../../src/server/http/listener.js';
import { createLog, type LogFormat } from '../../src/server/system/log.js';
import { runCli } from '../support/cli.js';
import { folderOfFile } from '../support/folders.js';
import { recordBody } from '../support/store-harness.js';

/** Clears a screen (7 and 8 bit), sets a window title, deletes, forges a line, reverses what follows. */
const HOSTILE = 'Evil\u001b[2J\u009b31m\u001b]0;t\u0007\u007f\r\nFORGED  error  line\u2028\u202eesrever\u2066';
const RAW = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

function expectHarmless(text: string): void {
  expect(text).toContain('Evil');
  expect(text).not.toMatch(RAW);
  expect(text).not.toMatch(/^FORGED/m);
}

const record = {
  ...recordBody('7', 1, 6208),
  severity: 'error' as const,
  description: HOSTILE,
  sequence: 1,
  revision: 1,
};

const FILE: FileReport = {
  file: `${HOSTILE}.flv`,
  spec: 'live',
  outcome: 'error',
  problem: HOSTILE,
  notes: [HOSTILE],
  container: 'flv',
  bytes: 1,
  rules: [],
  errors: [fileRecord(record, 0)],
};

test.each([
  ['findings', () => findingsReport([FILE])],
  ['text', () => textReport([FILE, FILE], { columns: 80 })],
  ['junit', () => junitReport([FILE], 'error')],
  ['sarif', () => sarifReport([FILE], '1.0.0')],
  ['github', () => githubReport([FILE])],
])('the report %s of a file has no control characters but line feeds', (format, report) => {
  expectHarmless(report());
  if (format !== 'sarif') return;
  // Viewers show the parsed text.
  expect(JSON.parse(report()).runs[0].results[0].message.text).not.toMatch(RAW);
});

const DATA: LiveVideoData = {
  ownerId: '1',
  ownerKind: 'page',
  videoId: '8',
  title: HOSTILE,
  status: 'VOD',
  goLiveOnData: true,
  keyVersion: 1,
  stopOnDeleteStream: false,
  stream: 'ended',
  broadcastStartMs: 1_700_000_000_000,
  endedMs: 1_700_000_100_000,
};
const live = { id: '7', kind: 'live_video', createdMs: 0, updatedMs: 0, version: 1, data: DATA } as const;
const series = { step: 1, filled: 1, points: [] };
const report = liveReport({ live, series, nowMs: DATA.endedMs ?? 0, records: [record] });

test('titles of pages have none: of the report, the dashboard and its tab', () => {
  const html = htmlReport(report);
  expectHarmless(html);
  expect(html).toContain(`<title>Report: ${visible(HOSTILE)}</title>`);
  expect(pageTitle(HOSTILE, 0)).toBe(visible(HOSTILE));
  expect(pageTitle(HOSTILE, 2)).toBe(`2 errors · ${visible(HOSTILE)}`);
});

describe('the command line', () => {
  const folder = folderOfFile('airlock-untrusted-');
  const env = { AIRLOCK_DATA_DIR: folder };
  const path = adminSocketPath(loadConfig({ env }).config);
  const listener = new HttpListener();
  const asked = new EventEmitter();
  const line = { at_ms: 1_700_000_000_000, action: 'x', who: HOSTILE, from: '::1', target: HOSTILE, owner: '1' };
  const actions = {
    'audit.list': async () => ({ lines: [line] }),
    'live.list': async () => ({ live_videos: [{ id: '7', owner_id: '1', title: HOSTILE }] }),
    'live.show': async () => ({ id: '7', title: HOSTILE, stream_health: { encoder: HOSTILE }, tags: [HOSTILE] }),
    'live.report': async () => report,
    'live.errors': async () => {
      asked.emit('errors');
      return { errors: [{ ...record, id: '7_1_1', timestamp: 't', count: 1 }] };
    },
    'live.end': () => Promise.reject(new Error(HOSTILE)),
    'sign-in.link': async () => ({ sign_in_url: 'u', owner_id: '1', owner_name: HOSTILE, expires_ms: 1 }),
  };
  beforeAll(async () => {
    listener.serve(adminHandler(actions, createLog({ level: 'silent' })));
    await listener.listenOnFile(path);
  });
  afterAll(async () => {
    await listener.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const COMMANDS = [
    'audit',
    'live list',
    'live show 7',
    'live report 7',
    'live errors 7',
    'live errors 7 --follow',
    'sign-in',
  ];

  test.each(COMMANDS)('%s prints none, as text and as JSON of the same value', async (command) => {
    const run = async (format: string) => {
      const stopped = once(asked, 'errors').then(() => 'SIGINT' as const);
      return (await runCli([...command.split(' '), '--format', format], { env, stopped })).stdout;
    };
    expectHarmless(await run('text'));
    const json = await run('json');
    expect(json).toContain('Evil');
    expect(json).not.toMatch(RAW);
    expect(JSON.stringify(JSON.parse(json))).toContain(JSON.stringify(HOSTILE));
  });

  test('an error of the server and a wrong argument print none', async () => {
    const failed = await runCli(['live', 'end', '7'], { env });
    expect(failed.stderr).not.toMatch(RAW);
    const wrong = await runCli([`--${HOSTILE}`], { env });
    expectHarmless(wrong.stderr.replaceAll('\nFORGED', ''));
  });
});

const FORMATS: readonly LogFormat[] = ['json', 'pretty'];

test.each(FORMATS)('a log line as %s has none', async (format) => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-untrusted-log-'));
  const path = join(folder, 'out.log');
  const log = createLog({ level: 'info', format, destination: openSync(path, 'w') });
  log.info({ encoder: HOSTILE, list: [HOSTILE] }, HOSTILE);
  await log.flush();
  const text = readFileSync(path, 'utf8');
  rmSync(folder, { recursive: true, force: true });
  expectHarmless(text);
  expect(text.trim().split('\n')).toHaveLength(1);
  if (format === 'json') expect(JSON.parse(text)).toMatchObject({ encoder: HOSTILE, list: [HOSTILE], msg: HOSTILE });
});

test('escaping JSON keeps its value', () => {
  const value = { [HOSTILE]: [HOSTILE, '日本 \u{1f600}'] };
  expect(JSON.parse(visibleJson(JSON.stringify(value, null, 2)))).toEqual(value);
});

/** Each code beyond the published document, on each surface that shows records. */

import { fileRecord } from '../../src/check/file-report.js';
import { findingsReport } from '../../src/cli/reports/findings.js';
import { githubReport } from '../../src/cli/reports/github.js';
import { junitReport } from '../../src/cli/reports/junit.js';
import type { FileReport } from '../../src/cli/reports/report.js';
import { sarifReport } from '../../src/cli/reports/sarif.js';
import { textReport } from '../../src/cli/reports/text.js';
import type { BroadcastView } from '../../src/dashboard/view/protocol.js';
import { adviceOf } from '../../src/dashboard/web/shared/advice.js';
import { sentenceOf } from '../../src/dashboard/web/shared/format.js';
import { whyOf } from '../../src/dashboard/web/shared/live-text.js';
import { titleOf, verdicts } from '../../src/dashboard/web/shared/verdicts.js';
import type { RuleVerdict } from '../../src/judge/judge-types.js';
import type { LiveVideoData } from '../../src/lifecycle/documents.js';
import { htmlReport } from '../../src/report/html.js';
import { ruleRow } from '../../src/report/lines.js';
import { liveReport } from '../../src/report/report.js';
import type { CatalogueEntry } from '../../src/rules/catalogue-entry.js';
import { description } from '../../src/rules/describe.js';
import { reasonOf, withReason } from '../../src/rules/explained.js';
import { CAUSE_CODES, catalogueEntry, explains } from '../../src/rules/registry/catalogue.js';
import { remedyFor } from '../../src/rules/remedies/remedy.js';
import type { StoredRecord } from '../../src/spec/error-record.js';
import { errorView } from '../../src/spec/error-view.js';
import { recordEvent, webhookBody } from '../../src/webhook/outbox.js';
import { ANALYSIS_ENTRIES } from '../support/analysis-codes.js';
import { recordBody } from '../support/store-harness.js';

const SUBJECT = { broadcastId: '7', videoId: '70' };
const VALUES = { carried: '1.9', needed: '2.5', target: '1,400 kbps', track: 'video', median: '33 ms', manner: '' };

function record(entry: CatalogueEntry, over: Partial<StoredRecord> = {}): StoredRecord {
  const remediation = remedyFor(entry.code, undefined, VALUES);
  const { code, type, subcode, severity, unit, clause } = entry;
  return {
    ...recordBody('7', 1, code),
    error_code: code,
    error_subcode: subcode ?? code,
    error_type: type,
    severity,
    unit,
    clause,
    remediation,
    description: description(entry, { observed: 4.5, limit: 2, placeholders: VALUES }, remediation),
    sequence: code,
    revision: code,
    ...over,
  };
}

const BROADCAST = { id: '7', status: 'LIVE', stream_state: 'connected' } as BroadcastView;

const CASES = ANALYSIS_ENTRIES.map((entry) => [entry.code, entry] as const);

test.each(CASES)('%d has a sentence, a remedy and a name', (code, entry) => {
  const { description: text, remediation } = record(entry);
  expect(text).toMatch(new RegExp(`^\\[${code} ${entry.type}\\] [A-Z0-9][^{}]+\\.$`));
  expect(text).toContain(remediation);
  expect(remediation).not.toBe('');
  expect(titleOf({ error_code: code, error_type: entry.type })).toBe(entry.title);
});

test.each(CASES)('%d is in each format of airlock validate', (code, entry) => {
  const { type, title, severity, unit } = entry;
  const judged = severity === 'info' ? 'pass' : 'warn';
  const rules: RuleVerdict[] = [{ code, type, title, judged, observed: 4.5, limit: 2, unit }];
  const found = fileRecord(record(entry), 0);
  const report: FileReport = {
    file: 'a.flv',
    spec: 'live',
    outcome: severity === 'info' ? 'pass' : 'warning',
    notes: [],
    container: 'flv',
    bytes: 1,
    rules,
    errors: [found],
  };
  const texts = [
    findingsReport([report]),
    textReport([report]),
    githubReport([report]),
    sarifReport([report], '1.0.0'),
    junitReport([report], 'warning'),
  ];
  for (const text of texts) expect(text).toContain(String(code));
  expect(found).toMatchObject({ error_code: code, error_type: type, severity });
});

test.each(CASES)('%d is on the dashboard and in the dock', (code, entry) => {
  const view = errorView(record(entry), SUBJECT);
  const rows = verdicts([view], undefined, BROADCAST, 0);
  expect(rows.filter(({ records }) => records.includes(view))).toHaveLength(1);
  expect(adviceOf([view]).steps).toEqual([view.remediation]);
  expect(sentenceOf(view)).not.toContain(`[${code}`);
});

test.each(CASES)('%d is in the body of a webhook', (code, entry) => {
  const body: unknown = JSON.parse(webhookBody(recordEvent('7', record(entry), SUBJECT), { id: '1', kind: 'page' }));
  const error = { error_code: code, error_type: entry.type, description: record(entry).description };
  expect(body).toMatchObject({ entry: [{ changes: [{ field: 'live_video_errors', value: { id: '7', error } }] }] });
});

const DATA: LiveVideoData = {
  ownerId: '1',
  ownerKind: 'page',
  videoId: '8',
  status: 'VOD',
  goLiveOnData: true,
  keyVersion: 1,
  stopOnDeleteStream: false,
  stream: 'ended',
  broadcastStartMs: 1_700_000_000_000,
  endedMs: 1_700_000_100_000,
};

test.each(CASES)('%d is in the report on a broadcast, as text and as a page', (code, entry) => {
  const live = { id: '7', kind: 'live_video', createdMs: 0, updatedMs: 0, version: 1, data: DATA } as const;
  const series = { step: 1, filled: 1, points: [] };
  const report = liveReport({ live, series, nowMs: DATA.endedMs ?? 0, records: [record(entry)] });
  expect(report.rules.flatMap(ruleRow)).toContain(`${code} ${entry.type}`);
  const html = htmlReport(report).replaceAll('<wbr>', '');
  expect(html).toContain(entry.type);
  expect(html).toContain(`<small>${code}, ${entry.severity}, open`);
});

const EXPLAINED = CAUSE_CODES.flatMap((cause) =>
  [6206, 6211, 6401, 6402, 6404, 6406, 6407, 6408, 6410]
    .filter((code) => explains(cause, code))
    .map((code) => [cause, code] as const),
);

test('all causes but one explain a fault: late rendering repeats pictures', () => {
  const explaining = new Set(EXPLAINED.map(([cause]) => cause));
  expect(CAUSE_CODES.filter((code) => !explaining.has(code))).toEqual([6906]);
});

test.each(EXPLAINED)('%d is the reason in the text of %d, and its "Why" line', (cause, code) => {
  const why = record(catalogueEntry(cause));
  const fault = record(catalogueEntry(code));
  const text = withReason(fault.description, fault.remediation, reasonOf(why.description));
  expect(text).toContain(` because ${reasonOf(why.description)}`);
  const view = errorView({ ...fault, cause, description: text }, SUBJECT);
  expect(whyOf(view, [errorView(why, SUBJECT), view])).toBe(sentenceOf(errorView(why, SUBJECT)));
});

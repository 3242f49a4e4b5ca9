/** The result of a file in the form of the dashboard: records, health line, a row for each rule, documents to save. */

import { fileLine, recordViews, resultsAsJson, ruleRows } from '../../../src/dashboard/web/check/file-rows.js';
import { htmlOfFile } from '../../../src/dashboard/web/check/report-html.js';
import { createJudge, type FileResult } from '../../../src/library/browser.js';
import { flvFile } from '../../support/flv-writer.js';
import { synthStream } from '../../support/synth-stream.js';

function judged(name: string, bytes: Uint8Array): FileResult {
  const judge = createJudge({ name });
  judge.write(bytes);
  return judge.end();
}

const bytes = flvFile(synthStream({ durationMs: 12_000, keyFrameIntervalMs: 5_000 }));
const FAULTY = judged('<b>a.flv', bytes);

test('a record has its stream time as its time, and the remedy of the encoder that was chosen', () => {
  const [found] = recordViews(FAULTY);
  expect(found).toMatchObject({
    error_code: 6208,
    timestamp: '1970-01-01T00:00:04.067Z',
    stream_time_ms: 4_067,
    description: FAULTY.errors[0]?.description,
  });
  const [chosen] = recordViews(FAULTY, { 6208: 'Press the button.' });
  expect(chosen?.remediation).toBe('Press the button.');
  expect(chosen?.description).toMatch(/must not exceed 4 s\. Press the button\.$/);
});

test('the line has the counts, and says of a damaged file why it ends and what was found before', () => {
  expect(fileLine(FAULTY)).toMatchObject({ word: 'Poor', tone: 'fail', sentence: '1 error' });
  const cut = judged('cut.flv', bytes.subarray(0, bytes.length - 20));
  expect(fileLine(cut).sentence).toBe(
    'Cannot be read to its end: truncated file: ends inside a tag. Before that: 1 error.',
  );
  expect(fileLine(judged('empty.flv', new Uint8Array(0)))).toMatchObject({
    sentence: 'Cannot be read: no input.',
    sent: [],
  });
});

test('each rule has a row: a failing one by its fault with its value, a passing one by its check', () => {
  const rows = ruleRows(FAULTY, recordViews(FAULTY));
  expect(rows.map(({ row }) => row.codes)).toEqual(FAULTY.rules.map(({ code }) => [code]));
  const row = (code: number) => rows.find((each) => each.row.codes.includes(code));
  expect(row(6208)).toMatchObject({ verdict: 'fail', observed: '5 s', bound: 'bound: 4 s' });
  expect(row(6208)?.row).toMatchObject({ title: 'Key frames too far apart (6208)', group: 'Video' });
  expect(row(6206)).toMatchObject({ verdict: 'pass', observed: '30 fps', bound: 'bound: 60 fps' });
  expect(row(6304)?.row).toMatchObject({ title: 'Stereo audio (6304)', group: 'Audio' });
  expect(row(6406)).toMatchObject({ verdict: 'unjudged', observed: undefined, bound: '' });
  // The settings are a line of their own.
  expect(row(6403)).toMatchObject({ observed: undefined, bound: expect.stringContaining('1280x720') });
});

test('names of files and encoders are text in the page that is saved', () => {
  const records = recordViews(FAULTY);
  const html = htmlOfFile({ result: FAULTY, records, rows: ruleRows(FAULTY, records), spec: '<i>own' });
  expect(html).toContain('<h1>Check: &lt;b&gt;a.flv</h1>');
  expect(html).toContain('&lt;i&gt;own');
  expect(html).not.toMatch(/<b>a|<i>|<script|undefined/);
  expect(html).toContain('No key frame for 5 s');
});

test('the document that is saved counts files by their outcome', () => {
  const content = JSON.parse(resultsAsJson([FAULTY, judged('x', new Uint8Array(0))], '1.2.3'));
  expect(content.summary).toEqual({ files: 2, passed: 0, with_warnings: 0, with_errors: 1, unreadable: 1, failed: 2 });
  expect(content.tool).toEqual({ name: 'airlock', version: '1.2.3' });
});

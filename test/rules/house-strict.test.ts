/**
 * The stricter sample of examples/specs in force: rules, texts, records and the answer to OBS follow its numbers.
 *
 * @jest-environment node
 */
import { join } from 'node:path';
import { readHouseFile } from '../../src/config/house-file.js';
import { adoptHouseSpec } from '../../src/spec/house.js';
import { obs32Request } from '../support/go-live-request.js';

const sample = readHouseFile(join(import.meta.dirname, '../../examples/specs/strict-720p.json'));
adoptHouseSpec(sample);
const { judgeStream, only } = await import('./harness.js');
const { catalogueEntry } = await import('../../src/rules/registry/catalogue.js');
const { remedyFor } = await import('../../src/rules/remedies/remedy.js');
const { parseGoLive } = await import('../../src/api/obs/request.js');
const { planFor } = await import('../../src/golive/plan.js');

const good = { width: 1280, height: 720, levelIdc: 31, videoKbps: 3000, sampleRate: 48_000, durationMs: 30_000 };

test('a stream inside the stricter bounds has no errors', () => {
  expect(judgeStream(good).records.filter(({ severity }) => severity === 'error')).toEqual([]);
});

test('a record names the file that it was judged by, and the bound of that file', () => {
  const record = only(judgeStream({ ...good, keyFrameIntervalMs: 3000 }), 6208);
  expect(record).toMatchObject({ limit: 2000, spec: sample.name });
  expect(sample.name).toMatch(/^720p only \(sha256 [0-9a-f]{12}\)$/);
});

test('sizes beyond the table are too large, and listed severities are those of the file', () => {
  const run = judgeStream({ ...good, width: 1920, height: 1080, levelIdc: 40, videoKbps: 3400 });
  expect(only(run, 6204)).toMatchObject({ limit: '1280x720', observed: '1920x1080' });
  expect(only(run, 6205).severity).toBe('error');
  expect(only(run, 6202)).toMatchObject({ limit: '3.1' });
  expect(only(judgeStream({ ...good, videoKbps: 1600 }), 6211).limit).toBe(2000);
  expect(only(judgeStream({ ...good, sampleRate: 44_100 }), 6303).description).toContain('it must be 48 kHz');
});

test('texts and remedies follow the numbers, for every encoder', () => {
  expect(catalogueEntry(6208).raisedWhen).toContain('2050 ms');
  expect(catalogueEntry(6806).severity).toBe('warning');
  const obs = { family: 'obs', name: 'OBS', version: '32' };
  expect(remedyFor(6204, obs)).toBe('Set the output size to 1280x720 or less.');
});

test('the loudness target of the file applies without a setting', () => {
  const run = judgeStream({ durationMs: 625_000, video: false, sampleRate: 48_000 });
  expect(only(run, 6806)).toMatchObject({ limit: -16, severity: 'warning' });
});

test('OBS is told a profile of the table, whatever its canvas is', () => {
  const request = parseGoLive(JSON.stringify(obs32Request({ key: 'k', canvas: [1920, 1080], fps: [60, 1] })), 'obs');
  if (request === undefined) throw new Error('the request is not understood');
  expect(planFor(request)).toMatchObject({ width: 1280, height: 720, videoKbps: 4250 });
});

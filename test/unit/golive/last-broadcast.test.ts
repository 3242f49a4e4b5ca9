/** What the records of the last broadcast mean for the next answer. */
import { expect, test } from '@jest/globals';
import { findingsOf } from '../../../src/golive/last-broadcast.js';
import { remedyFor } from '../../../src/rules/remedies/remedy.js';
import type { RecordBody } from '../../../src/spec/error-record.js';

const ENDED = 1_700_000_000_000;

function record(code: number, changes: Partial<RecordBody> = {}): RecordBody {
  const evidence = { kind: 'clock', decodeTimeMs: 0, presentationTimeMs: 0, messageNumber: 0, byteOffset: 0 } as const;
  return {
    id: `1_1_${code}`,
    error_code: code,
    error_subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR',
    error_type: 'A_TYPE',
    description: `[${code} A_TYPE] The fault ${code}. Change it.`,
    severity: 'warning',
    timestampMs: ENDED - 60_000,
    stream_time_ms: 0,
    observed: 1,
    worst: 1,
    limit: 0,
    unit: '',
    clause: '',
    remediation: 'Change it.',
    cleared_time_ms: ENDED,
    count: 1,
    evidence: { first: evidence, last: evidence },
    source: 'stream',
    ...changes,
  };
}

const found = (records: readonly RecordBody[], knowsAudio = true) =>
  findingsOf(records, { endedMs: ENDED, knowsAudio });

test('faults that were open at the end are told, without their codes', () => {
  const cleared = record(6801, { cleared_time_ms: ENDED - 30_000 });
  expect(found([record(6405), record(6811, { cleared_time_ms: null }), cleared]).findings).toEqual([
    'The fault 6405. Change it.',
    'The fault 6811. Change it.',
  ]);
});

test('leaves out records that the answer repairs, that are over, or that only inform', () => {
  const over = [6102, 6503, 6505].map((code) => record(code));
  const repaired = [6202, 6208, 6210, 6216, 6306].map((code) => record(code));
  expect(found([...over, ...repaired, record(6217, { severity: 'info' })]).findings).toEqual([]);
});

test('audio settings are told only to an OBS that does not send them', () => {
  expect(found([record(6303)], true).findings).toEqual([]);
  expect(found([record(6303)], false).findings).toHaveLength(1);
});

test.each(['obs', 'unknown'])('the bitrate that the uplink carries is read from the remedies for %s', (family) => {
  const encoder = { family, name: family, version: '' };
  const remediation = (code: number, target: string) => remedyFor(code, encoder, { target });
  const records = [
    record(6902, { remediation: remediation(6902, '1,900 kbps'), cleared_time_ms: ENDED - 60_000 }),
    record(6903, { remediation: remediation(6903, '2,100 kbps') }),
  ];
  expect(found(records).uplinkVideoKbps).toBe(1_900);
  expect(found([record(6902, { remediation: remedyFor(6902, encoder) })]).uplinkVideoKbps).toBeUndefined();
  expect(found([record(6210, { remediation: remediation(6902, '100 kbps') })]).uplinkVideoKbps).toBeUndefined();
});

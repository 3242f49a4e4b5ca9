/** Judges an uploaded file and turns the findings into error records. */
import type { FileFacts } from '../../facts/probed-file.js';
import type { PacketEvidence, RecordBody } from '../../spec/error-record.js';
import { JUDGED_BY } from '../../spec/in-force.js';
import type { CatalogueEntry } from '../catalogue-entry.js';
import { description, rounded } from '../describe.js';
import { FILE_RULES } from '../registry/rules.js';
import { remedyFor } from '../remedies/remedy.js';
import type { FileFinding } from '../rule.js';
import { uploadReadable } from '../upload/readable.js';

const WHOLE_FILE: PacketEvidence = {
  kind: 'file',
  decodeTimeMs: 0,
  presentationTimeMs: 0,
  messageNumber: 0,
  byteOffset: 0,
};

interface JudgedFinding {
  readonly entry: CatalogueEntry;
  readonly finding: FileFinding;
}

/** All faults of a file, in code order. An unreadable file has that fault only. */
export function judgeFile(facts: FileFacts): JudgedFinding[] {
  const rules = facts.fault === undefined ? FILE_RULES : [uploadReadable];
  return rules.flatMap(({ entry, check }) => {
    const finding = check(facts);
    return finding === undefined ? [] : [{ entry, finding }];
  });
}

/** One record per finding, each a point in time. `recordId(n)` returns the id of the n-th record, from 1. */
export function fileRecords(facts: FileFacts, wallMs: number, recordId: (n: number) => string): RecordBody[] {
  return judgeFile(facts).map(({ entry, finding }, index) => {
    const remediation = remedyFor(entry.code);
    const observed = rounded(finding.observed, entry.unit);
    return {
      id: recordId(index + 1),
      error_code: entry.code,
      error_subcode: entry.subcode ?? entry.code,
      error_type: entry.type,
      description: description(entry, { ...finding, observed }, remediation),
      severity: entry.severity,
      timestampMs: wallMs,
      stream_time_ms: 0,
      observed,
      worst: observed,
      limit: finding.limit,
      unit: entry.unit,
      clause: entry.clause,
      remediation,
      cleared_time_ms: wallMs,
      count: 1,
      open_ms: 0,
      evidence: { first: WHOLE_FILE, last: WHOLE_FILE },
      source: entry.source,
      ...JUDGED_BY,
    };
  });
}

/** An error record that no packet proves: a point in time that the service noticed, outside of a running stream. */
import { defined } from '../lib/objects.js';
import { description } from '../rules/describe.js';
import { catalogueEntry, generalRemedy } from '../rules/registry/catalogue.js';
import type { PacketEvidence, RecordBody } from '../spec/error-record.js';

export interface ServiceNotice {
  readonly id: string;
  readonly code: number;
  readonly observed: string;
  readonly timestampMs: number;
  /** Null: it stays open. */
  readonly clearedMs: number | null;
  readonly count?: number;
  /** Values of the placeholders of the rule's sentence. */
  readonly placeholders?: Readonly<Record<string, string>>;
}

const NO_PACKET: PacketEvidence = {
  kind: 'clock',
  decodeTimeMs: 0,
  presentationTimeMs: 0,
  messageNumber: 0,
  byteOffset: 0,
};

/** `remedy`: what to change, at the end of the description. */
export function serviceRecord(notice: ServiceNotice, remedy = generalRemedy(notice.code)): RecordBody {
  const { id, code, observed, timestampMs, clearedMs, count = 1, placeholders } = notice;
  const entry = catalogueEntry(code);
  const values = { observed, limit: '', ...defined({ placeholders }) };
  return {
    id,
    error_code: entry.code,
    error_subcode: entry.subcode ?? entry.code,
    error_type: entry.type,
    description: description(entry, values, remedy),
    severity: entry.severity,
    timestampMs,
    stream_time_ms: 0,
    observed,
    worst: observed,
    limit: '',
    unit: entry.unit,
    clause: entry.clause,
    remediation: remedy === '' ? generalRemedy(code) : remedy,
    cleared_time_ms: clearedMs,
    count,
    open_ms: 0,
    evidence: { first: NO_PACKET, last: NO_PACKET },
    source: entry.source,
  };
}

/** The record of a refused publish (6102): a point in time that its repetitions move on. */
import { sentencesWithin } from '../lib/text.js';
import { description } from '../rules/describe.js';
import { catalogueEntry, generalRemedy } from '../rules/registry/catalogue.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import type { PacketEvidence, PublishRefusal, RecordBody } from '../spec/error-record.js';

export interface RefusedPublish {
  readonly id: string;
  readonly reason: string;
  /** What the encoder was sent. */
  readonly description: string;
  readonly refusal: PublishRefusal;
  readonly address: string;
  /** Empty if the encoder gave no name. */
  readonly encoder: string;
  /** Of the first refusal. */
  readonly timestampMs: number;
  readonly count: number;
}

/** Bytes of the refusal's own text, which leaves room for the label of the record. */
const TOLD_BYTES = 200;
const NO_PACKET: PacketEvidence = {
  kind: 'clock',
  decodeTimeMs: 0,
  presentationTimeMs: 0,
  messageNumber: 0,
  byteOffset: 0,
};

export function refusalRecord(refused: RefusedPublish, nowMs: number): RecordBody {
  const { reason, refusal, encoder } = refused;
  const entry = catalogueEntry(SERVICE_CODES.publishRefused);
  // The text of a refusal says what to change.
  const told = sentencesWithin(refused.description, TOLD_BYTES).replace(/\.$/, '');
  return {
    id: refused.id,
    error_code: entry.code,
    error_subcode: refusal.subcode ?? entry.subcode,
    error_type: entry.type,
    description: description(entry, { observed: reason, limit: '', placeholders: { told } }, ''),
    severity: entry.severity,
    timestampMs: refused.timestampMs,
    stream_time_ms: 0,
    observed: reason,
    worst: reason,
    limit: '',
    unit: entry.unit,
    clause: entry.clause,
    remediation: generalRemedy(entry.code),
    cleared_time_ms: nowMs,
    count: refused.count,
    evidence: { first: NO_PACKET, last: NO_PACKET },
    source: entry.source,
    refusal,
    address: refused.address,
    ...(encoder === '' ? {} : { encoder }),
  };
}

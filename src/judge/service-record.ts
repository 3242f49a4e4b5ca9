/** An error record that no packet proves: a point in time that the service noticed, outside of a running stream. */
import { defined } from '../lib/objects.js';
import { sentencesWithin } from '../lib/text.js';
import { description } from '../rules/describe.js';
import { catalogueEntry, generalRemedy } from '../rules/registry/catalogue.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import type { PacketEvidence, PublishRefusal, RecordBody } from '../spec/error-record.js';

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

export interface RefusedPublish {
  readonly id: string;
  readonly reason: string;
  /** Description that the encoder was sent. */
  readonly description: string;
  readonly refusal: PublishRefusal;
  readonly address: string;
  /** Empty if the encoder gave no name. */
  readonly encoder: string;
  /** Time of the first refusal. */
  readonly timestampMs: number;
  readonly count: number;
}

/** Bytes of the refusal's own text, which leaves room for the label of the record. */
const TOLD_BYTES = 200;

/** The record of a refused publish (6102): a point in time that its repetitions move on. */
export function refusalRecord(refused: RefusedPublish, nowMs: number): RecordBody {
  const { reason, refusal, encoder } = refused;
  // The text of a refusal says what to change.
  const told = sentencesWithin(refused.description, TOLD_BYTES).replace(/\.$/, '');
  const { id, timestampMs, count } = refused;
  const code = SERVICE_CODES.publishRefused;
  const notice = { id, code, observed: reason, timestampMs, clearedMs: nowMs, count, placeholders: { told } };
  const body = serviceRecord(notice, '');
  return {
    ...body,
    error_subcode: refusal.subcode ?? body.error_subcode,
    refusal,
    address: refused.address,
    ...(encoder === '' ? {} : { encoder }),
  };
}

/** The record of a refused publish (6102): a point in time that its repetitions move on. */
import { sentencesWithin } from '../lib/text.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import type { PublishRefusal, RecordBody } from '../spec/error-record.js';
import { serviceRecord } from './service-record.js';

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

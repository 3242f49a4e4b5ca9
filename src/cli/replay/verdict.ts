/** The status messages of one publish session as a report of the same form as that of `validate`. */

import { type FileRecord, outcomeOf } from '../../check/file-report.js';
import type { RuleVerdict } from '../../judge/judge.js';
import type { ClientStatus } from '../../rtmp/session/client-session.js';
import type { CatalogueEntry } from '../../rules/catalogue-entry.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import type { Observed, PacketEvidence, Severity } from '../../spec/error-record.js';
import { streamTime } from '../console/text-table.js';
import { DROPPED, type FileReport, STOPPED } from '../reports/report.js';
import type { Played } from './play.js';

export interface Publish {
  readonly file: string;
  /** Server, app and key id, without the secret. */
  readonly to: string;
  readonly connection: number;
  readonly statuses: readonly ClientStatus[];
  readonly refused: boolean;
  /** Absent when the publish was refused, or stopped before the server accepted it. */
  readonly played?: Played;
}

/** The publisher does not know the packet. */
const NO_PACKET: PacketEvidence = {
  kind: 'clock',
  decodeTimeMs: 0,
  presentationTimeMs: 0,
  messageNumber: -1,
  byteOffset: -1,
};

export function publishReport(publish: Publish): FileReport {
  const errors = recordsOf(publish.statuses);
  const end = publish.statuses.findLast((status) => status.level === 'error');
  const notes = [`sent to ${publish.to}`];
  if (publish.refused) notes.push(`refused: ${end?.description || end?.code || 'no reason given'}`);
  else if (end !== undefined) notes.push(`ended by the server: ${end.description}`);
  else if (publish.played?.ending === 'ended-by-server')
    notes.push('the server closed the connection without giving a reason');
  if (publish.played?.ending === 'dropped') notes.push(DROPPED);
  if (publish.played?.ending === 'stopped') notes.push(`${STOPPED} ${streamTime(publish.played.mediaMs)} of media`);
  const neverStarted = publish.played === undefined && !publish.refused;
  if (neverStarted) notes.push('stopped before anything was sent');
  // A refusal or an end for a reason other than a rule is an error as well: the stream was not published to its end.
  const failed =
    publish.refused || neverStarted || (publish.played?.ending === 'ended-by-server' && errors.length === 0);
  return {
    file: publish.file,
    spec: 'live',
    outcome: failed ? 'error' : outcomeOf(errors),
    notes,
    published: !failed,
    container: publish.to.split(':')[0] ?? '',
    bytes: 0,
    stream: { encoder: '', streamTimeMs: Math.round(publish.played?.mediaMs ?? 0) },
    rules: CATALOGUE.flatMap((row) => verdictOf(row, errors)),
    errors,
  };
}

/** Only rules that the server reported: other RTMP servers report none. */
function verdictOf(row: CatalogueEntry, errors: readonly FileRecord[]): RuleVerdict[] {
  const record = errors.find((each) => each.error_code === row.code);
  if (record === undefined) return [];
  const { code, type, title, unit } = row;
  return [
    { code, type, title, judged: record.severity === 'error' ? 'fail' : 'warn', observed: null, limit: null, unit },
  ];
}

/** Each violation once, with its cleared time. Other RTMP servers report none. */
function recordsOf(statuses: readonly ClientStatus[]): FileRecord[] {
  const records = new Map<string, FileRecord>();
  for (const status of statuses) {
    const record = recordOf(status);
    if (record === undefined) continue;
    const id = text(status, 'id') || String(record.error_code);
    const earlier = records.get(id);
    if (status.code === 'NetStream.Publish.Cleared') {
      if (earlier !== undefined) records.set(id, { ...earlier, cleared_stream_time_ms: record.stream_time_ms });
    } else if (earlier === undefined) {
      records.set(id, record);
    }
  }
  return [...records.values()];
}

function recordOf(status: ClientStatus): FileRecord | undefined {
  const code = status.fields.error_code;
  if (typeof code !== 'number') return undefined;
  const row = CATALOGUE.find((entry) => entry.code === code);
  const streamTimeMs = status.fields.stream_time_ms;
  const unknown: Observed = '';
  return {
    error_code: code,
    error_subcode: text(status, 'error_subcode'),
    error_type: text(status, 'error_type'),
    severity: severityOf(status) ?? row?.severity ?? 'error',
    description: status.description,
    remediation: '',
    stream_time_ms: typeof streamTimeMs === 'number' ? streamTimeMs : 0,
    observed: unknown,
    worst: unknown,
    limit: unknown,
    unit: row?.unit ?? '',
    clause: row?.clause ?? '',
    count: 1,
    evidence: { first: NO_PACKET, last: NO_PACKET },
  };
}

/** The severity of a record may exceed that of its rule. Undefined for servers of earlier versions, which do not send it. */
function severityOf(status: ClientStatus): Severity | undefined {
  const severity = text(status, 'severity');
  return severity === 'error' || severity === 'warning' || severity === 'info' ? severity : undefined;
}

function text(status: ClientStatus, name: string): string {
  const value = status.fields[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

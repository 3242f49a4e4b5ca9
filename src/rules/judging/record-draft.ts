/** Mutable record inside the judge; each change is emitted as an immutable copy. */

import { copyPacket, newPacketFacts, type PacketFacts } from '../../facts/measures/packet-facts.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { defined } from '../../lib/objects.js';
import type {
  Evidence,
  Observed,
  PacketEvidence,
  RecordBody,
  SettingChange,
  Severity,
} from '../../spec/error-record.js';
import { endedMs, openSinceMs } from '../../spec/open-time.js';
import { CLEARING, ENFORCEMENT } from '../../spec/tolerances.js';
import type { CatalogueEntry, Worst } from '../catalogue-entry.js';
import { description } from '../describe.js';
import { reasonIn, reasonOf, withReason } from '../explained.js';
import { catalogueEntry } from '../registry/catalogue.js';

/** Values of a sentence: a value, its bound, and those of the other placeholders. */
interface Said {
  observed: Observed;
  limit: Observed;
  /** Undefined in a record that was restored: its text is then kept until the next observation. */
  placeholders: Readonly<Record<string, string>> | undefined;
}

const OWN_PLACEHOLDERS = /\{(?!observed\}|limit\})\w+\}/;

export class RecordDraft {
  readonly fixed: Omit<
    RecordBody,
    | 'severity'
    | 'worst'
    | 'cleared_time_ms'
    | 'count'
    | 'open_ms'
    | 'opened_ms'
    | 'evidence'
    | 'description'
    | 'limit'
    | 'changes'
    | 'cause'
  >;
  readonly #entry: CatalogueEntry;
  #description: string;
  #reason: string | undefined;
  readonly #newest: Said;
  readonly #worst: Said;
  changes: readonly SettingChange[] | undefined;
  cause: number | undefined;
  /** Times that the text was renewed. */
  renewals = 0;
  severity: Severity;
  count: number;
  /** Sum of the intervals that have ended, and the start of the one that has not: of both the record keeps wall time. */
  #openMs: number;
  #openedMs: number | undefined;
  clearedTimeMs: number | null;
  readonly #first: PacketEvidence;
  /** The last packet that showed the fault. */
  readonly #last: PacketFacts = newPacketFacts();
  #lastKept: PacketEvidence | undefined;
  /** Last raised, observed, written and cleared: `…StreamMs` in stream time, `…AtMs` on the monotonic clock (live only). */
  raisedStreamMs = 0;
  raisedAtMs = 0;
  seenStreamMs = 0;
  seenAtMs = 0;
  writtenStreamMs = 0;
  /** Minimum interval before the next write of a changed value. */
  refreshMs = CLEARING.refreshMs.value;
  clearedStreamMs = 0;
  /** It has changed since the last write. */
  isStale = false;

  /** `entry`: worded for the track. `placeholders`: of a new record; undefined for a restored one. */
  constructor(body: RecordBody, entry: CatalogueEntry, placeholders?: Said['placeholders']) {
    const { severity, worst, cleared_time_ms, count, evidence, description, limit, changes, cause, ...rest } = body;
    const { open_ms: _ended, opened_ms: _since, ...fixed } = rest;
    this.fixed = fixed;
    this.#entry = entry;
    this.#description = description;
    this.#reason = cause === undefined ? undefined : reasonIn(description);
    const known = placeholders ?? (OWN_PLACEHOLDERS.test(entry.sentence) ? undefined : {});
    this.#newest = { observed: body.observed, limit, placeholders };
    this.#worst = { observed: worst, limit, placeholders: known };
    this.changes = changes;
    this.cause = cause;
    this.severity = severity;
    this.count = count;
    this.clearedTimeMs = cleared_time_ms;
    this.#openMs = endedMs(body);
    this.#openedMs = openSinceMs(body);
    this.#first = evidence.first;
    this.#lastKept = evidence.last;
  }

  /** Excludes the gap before a new connection from the intervals. */
  restartTimers(streamMs: number): void {
    this.seenStreamMs = streamMs;
    this.writtenStreamMs = streamMs;
    this.refreshMs = CLEARING.refreshMs.value;
  }

  open(wallMs: number): void {
    this.#openedMs ??= wallMs;
    this.clearedTimeMs = null;
  }

  /** A point in time is cleared as it is raised. */
  close(wallMs: number): void {
    this.#openMs += this.#openedMs === undefined ? 0 : Math.max(0, wallMs - this.#openedMs);
    this.#openedMs = undefined;
    this.clearedTimeMs = wallMs;
  }

  addEvidence(packet: PacketFacts): void {
    copyPacket(packet, this.#last);
    this.#lastKept = undefined;
  }

  /** False if the record has a cause already: the first one known stays. */
  attachCause(code: number, cause: RecordDraft): boolean {
    if (this.cause !== undefined) return false;
    this.cause = code;
    this.#reason = reasonOf(cause.#text());
    return true;
  }

  /** False if the changes are the same as before. */
  renew(changes: readonly SettingChange[]): boolean {
    if (JSON.stringify(changes) === JSON.stringify(this.changes)) return false;
    this.changes = changes;
    this.renewals += 1;
    return true;
  }

  /** Whether the text of an open record would say something else. */
  isNews(observed: Observed, limit: Observed): boolean {
    return !Object.is(observed, this.#newest.observed) || !Object.is(limit, this.#newest.limit);
  }

  /** The newest value, which becomes the worst one if it is worse. */
  say(observed: Observed, limit: Observed, placeholders: Readonly<Record<string, string>>): void {
    put(this.#newest, observed, limit, placeholders);
    // An equal value is as bad: its bound and its other values are the newer ones.
    const { observed: worst } = this.#worst;
    if (observed === worst || isWorse(observed, worst, this.#entry.worst)) {
      put(this.#worst, observed, limit, placeholders);
    }
  }

  /** The newest value while it is open, the worst once it is cleared. */
  get #said(): Said {
    return this.clearedTimeMs === null ? this.#newest : this.#worst;
  }

  #text(): string {
    const { observed, limit, placeholders } = this.#said;
    const { remediation } = this.fixed;
    if (placeholders === undefined) return this.#description;
    const text = description(this.#entry, { observed, limit, placeholders }, remediation);
    return this.#reason === undefined ? text : withReason(text, remediation, this.#reason);
  }

  body(): RecordBody {
    this.#lastKept ??= packetEvidence(this.#last);
    const evidence: Evidence = { first: this.#first, last: this.#lastKept };
    return {
      ...this.fixed,
      description: this.#text(),
      limit: this.#said.limit,
      ...defined({ cause: this.cause, changes: this.changes }),
      severity: this.severity,
      worst: this.#worst.observed,
      cleared_time_ms: this.clearedTimeMs,
      count: this.count,
      open_ms: this.#openMs,
      ...defined({ opened_ms: this.#openedMs }),
      evidence,
    };
  }
}

function put(said: Said, observed: Observed, limit: Observed, placeholders: Said['placeholders']): void {
  said.observed = observed;
  said.limit = limit;
  said.placeholders = placeholders;
}

export function packetEvidence(packet: PacketFacts): PacketEvidence {
  const nalTypes: number[] = [];
  for (let type = 0; type < 32; type++) if ((packet.nalTypes & (1 << type)) !== 0) nalTypes.push(type);
  return {
    kind: packet.kind,
    decodeTimeMs: Math.round(packet.decodeTimeMs),
    presentationTimeMs: Math.round(packet.presentationTimeMs),
    messageNumber: packet.messageNumber,
    byteOffset: packet.byteOffset,
    ...(nalTypes.length > 0 ? { nalTypes } : {}),
  };
}

/** The fields of a record without those that a store adds (sequence, revision). */
export function recordBody(record: RecordBody): RecordBody {
  return {
    id: record.id,
    error_code: record.error_code,
    error_subcode: record.error_subcode,
    error_type: record.error_type,
    description: record.description,
    severity: record.severity,
    timestampMs: record.timestampMs,
    stream_time_ms: record.stream_time_ms,
    observed: record.observed,
    worst: record.worst,
    limit: record.limit,
    unit: record.unit,
    clause: record.clause,
    remediation: record.remediation,
    cleared_time_ms: record.cleared_time_ms,
    count: record.count,
    evidence: record.evidence,
    source: record.source,
    ...defined({
      spec: record.spec,
      track: record.track,
      cause: record.cause,
      changes: record.changes,
      match: record.match,
      forward: record.forward,
      input_stream: record.input_stream,
      open_ms: record.open_ms,
      opened_ms: record.opened_ms,
    }),
  };
}

/** Whether `next` is worse than `worst`. Values without an order are always worse, so the latest is kept. */
export function isWorse(next: Observed, worst: Observed, by: Worst): boolean {
  if (typeof next !== 'number' || typeof worst !== 'number' || by === 'latest') return next !== worst;
  if (by === 'highest') return next > worst;
  if (by === 'lowest') return next < worst;
  return Math.abs(next) > Math.abs(worst);
}

/** Strict enforcement: true for an error that has been open long enough and was observed recently. */
export function endsBroadcast(draft: RecordDraft, facts: StreamFacts): boolean {
  if (draft.severity !== 'error') return false;
  const { clears, judgedBy } = catalogueEntry(draft.fixed.error_code);
  // A fault of a header, the settings or the connection persists until a change clears it.
  const persists = clears.how === 'header' || clears.how === 'settings' || clears.how === 'connection';
  const streamMs = facts.streamTimeMs;
  if (isOverdue(streamMs, draft.raisedStreamMs, persists ? streamMs : draft.seenStreamMs)) return true;
  if (!facts.isLiveMode || judgedBy !== 'arrival') return false;
  const atMs = facts.arrival.nowAtMs;
  return isOverdue(atMs, draft.raisedAtMs, persists ? atMs : draft.seenAtMs);
}

function isOverdue(nowMs: number, raisedMs: number, seenMs: number): boolean {
  return nowMs - raisedMs >= ENFORCEMENT.strictOpenMs.value && nowMs - seenMs <= ENFORCEMENT.strictSeenMs.value;
}

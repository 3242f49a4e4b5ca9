/**
 * The contents of a store, with the semantics of the port. Every change can be undone for as long as a failover may lose it. Two
 * kinds: `embedded`, LMDB behind a process, whose leases end with that process; `redis`, whose leases are data like any other.
 */
import {
  ConflictError,
  type EdgeEntry,
  type EdgeName,
  type EdgePage,
  type GroupBounds,
  type JournalEntry,
  type Lease,
  type PageQuery,
  type RecordCounts,
  type RecordPage,
  type RecordQuery,
  type StoredObject,
  type Write,
} from '../../src/ports/index.js';
import type { StoredRecord } from '../../src/spec/error-record.js';
import { matches } from '../../src/store/lmdb/record-log.js';
import { pageOf, planPage, probeFrom, type Walk } from '../../src/store/shared/edge-range.js';
import { isName, requireName, requireScore } from '../../src/store/shared/names.js';
import {
  isLateRaise,
  isOpen,
  planRecords,
  RECORDS_PER_BROADCAST_MAX,
  type RecordWalk,
  recordPageOf,
  recordProbeFrom,
  requireEntry,
  StoreGapError,
  storedRecord,
} from '../../src/store/shared/record-rules.js';

export type StoreKind = 'embedded' | 'redis';

/** Faults to put in. */
export type StoreFault = 'entries-twice' | 'versions-ignored';

/** How long a change can be undone. */
const UNDO_MS = 10_000;
/** The embedded store writes short-lived values so often. */
const VOLATILE_WRITE_MS = 1_000;

interface Undo {
  readonly atMs: number;
  readonly isVolatile: boolean;
  readonly back: () => void;
}

interface Held {
  readonly holder: string;
  readonly fence: number;
  readonly untilMs: number;
}

interface Value {
  readonly text: string;
  readonly group: string | undefined;
  readonly untilMs: number;
}

type Head = RecordCounts & { readonly isDeleted: boolean };

const NO_RECORDS: Head = { total: 0, open: 0, uncounted: 0, lastRevision: 0, isDeleted: false };

interface Entry extends EdgeEntry {
  readonly bytes: Buffer;
}

export class StoreState {
  readonly #objects = new Map<string, string>();
  readonly #versions = new Map<string, number>();
  readonly #aliases = new Map<string, string>();
  /** Entries by owner and edge. */
  readonly #edges = new Map<string, Map<string, Map<string, Entry>>>();
  readonly #counters = new Map<string, number>();
  readonly #heads = new Map<string, Head>();
  /** Records by broadcast and id. */
  readonly #records = new Map<string, Map<string, StoredRecord>>();
  readonly #applied = new Map<string, number>();
  readonly #fences = new Map<string, number>();
  readonly #leases = new Map<string, Held>();
  readonly #alive = new Map<string, number>();
  readonly #values = new Map<string, Value>();
  #undo: Undo[] = [];
  #undoFrom = 0;

  readonly kind: StoreKind;
  readonly nowMs: () => number;
  readonly wallMs: () => number;

  readonly #fault: StoreFault | undefined;

  constructor(kind: StoreKind, nowMs: () => number, wallMs: () => number, fault?: StoreFault) {
    this.#fault = fault;
    this.kind = kind;
    this.nowMs = nowMs;
    this.wallMs = wallMs;
  }

  #put<Item>(map: Map<string, Item>, key: string, value: Item | undefined, isVolatile = false): void {
    const former = map.get(key);
    this.#undo.push({
      atMs: this.nowMs(),
      isVolatile,
      back: () => void (former === undefined ? map.delete(key) : map.set(key, former)),
    });
    if (value === undefined) map.delete(key);
    else map.set(key, value);
  }

  #forgetUndo(): void {
    const untilMs = this.nowMs() - UNDO_MS;
    while ((this.#undo[this.#undoFrom]?.atMs ?? Number.POSITIVE_INFINITY) < untilMs) this.#undoFrom += 1;
    if (this.#undoFrom < 2_000) return;
    this.#undo = this.#undo.slice(this.#undoFrom);
    this.#undoFrom = 0;
  }

  // ---------------------------------------------------------------- faults

  /** A replica takes over that lacks the changes of the last `lostMs`. Returns how many those were. */
  failOver(lostMs: number): number {
    const untilMs = this.nowMs() - lostMs;
    let lost = 0;
    for (let last = this.#undo.at(-1); last !== undefined && last.atMs > untilMs; last = this.#undo.at(-1)) {
      if (this.#undo.length <= this.#undoFrom) break;
      last.back();
      this.#undo.pop();
      lost += 1;
    }
    return lost;
  }

  /** The process of the embedded store dies: its leases with it, and short-lived values that it had not written. */
  die(): void {
    if (this.kind !== 'embedded') return;
    this.#leases.clear();
    this.#alive.clear();
    const untilMs = this.nowMs() - VOLATILE_WRITE_MS;
    for (let at = this.#undo.length - 1; at >= this.#undoFrom; at -= 1) {
      const undo = this.#undo[at];
      if (undo === undefined || undo.atMs <= untilMs) break;
      if (undo.isVolatile) undo.back();
    }
  }

  // ---------------------------------------------------------------- objects

  get(id: string): StoredObject | undefined {
    const text = isName(id) ? this.#objects.get(id) : undefined;
    return text === undefined ? undefined : (JSON.parse(text) as StoredObject);
  }

  alias(alias: string): string | undefined {
    return this.#aliases.get(alias);
  }

  commit(writes: readonly Write[]): void {
    const mark = this.#undo.length;
    try {
      for (const write of writes) this.#apply(write);
    } catch (error) {
      while (this.#undo.length > mark) this.#undo.pop()?.back();
      throw error;
    }
    this.#forgetUndo();
  }

  #apply(write: Write): void {
    switch (write.op) {
      case 'put': {
        const { id, kind, createdMs, updatedMs, data } = write.object;
        const version = this.#expect(requireName(id, 'an id'), write.expect) + 1;
        this.#put(this.#versions, id, version);
        this.#put(this.#objects, id, JSON.stringify({ id, kind, version, createdMs, updatedMs, data }));
        return;
      }
      case 'delete':
        this.#expect(requireName(write.id, 'an id'), write.expect);
        this.#put(this.#versions, write.id, undefined);
        this.#put(this.#objects, write.id, undefined);
        this.#put(this.#edges, write.id, undefined);
        for (const key of [...this.#counters.keys()])
          if (key.startsWith(`${write.id}\0`)) this.#put(this.#counters, key, undefined);
        return;
      case 'edgeAdd': {
        const { member, score, value } = write;
        requireName(write.owner, 'an owner');
        requireName(write.edge, 'an edge');
        requireScore(score, 'a score');
        const bytes = Buffer.from(requireName(member, 'a member'));
        const entry = value === undefined ? { member, score } : { member, score, value: copyOf(value) };
        this.#put(this.#edge(write), member, { ...entry, bytes });
        return;
      }
      case 'edgeRemove':
        if (this.#edges.get(write.owner)?.get(write.edge)?.has(write.member))
          this.#put(this.#edge(write), write.member, undefined);
        return;
      case 'count': {
        requireName(write.owner, 'an owner');
        requireName(write.counter, 'a counter');
        if (!Number.isSafeInteger(write.by)) throw new RangeError('a counter changes by an integer');
        const key = `${write.owner}\0${write.counter}`;
        this.#put(this.#counters, key, (this.#counters.get(key) ?? 0) + write.by);
        return;
      }
      case 'alias': {
        const taken = this.#aliases.get(requireName(write.alias, 'an alias'));
        if (write.id === null) this.#put(this.#aliases, write.alias, undefined);
        else if (taken === undefined) this.#put(this.#aliases, write.alias, requireName(write.id, 'an id'));
        else if (taken !== write.id) throw new ConflictError(write.alias);
        return;
      }
      default:
        throw new RangeError(`unknown write ${JSON.stringify(write satisfies never)}`);
    }
  }

  #expect(id: string, expected: number | undefined): number {
    const version = this.#versions.get(id) ?? 0;
    if (expected !== undefined && expected !== version && this.#fault !== 'versions-ignored')
      throw new ConflictError(id);
    return version;
  }

  #edge({ owner, edge }: EdgeName): Map<string, Entry> {
    let edges = this.#edges.get(owner);
    if (edges === undefined) {
      edges = new Map();
      this.#put(this.#edges, owner, edges);
    }
    let entries = edges.get(edge);
    if (entries === undefined) {
      entries = new Map();
      edges.set(edge, entries);
    }
    return entries;
  }

  page({ owner, edge }: EdgeName, query: PageQuery): EdgePage {
    const plan = planPage(query);
    const entries = [...(this.#edges.get(owner)?.get(edge)?.values() ?? [])].sort(
      (left, right) => left.score - right.score || Buffer.compare(left.bytes, right.bytes),
    );
    const walk = (asked: Walk) => walked(entries, asked);
    const rows = walk(plan.walk);
    return pageOf(plan, rows.map(plainEntry), walk(probeFrom(plan, rows[0])).length > 0);
  }

  edgeSize({ owner, edge }: EdgeName): number {
    return this.#edges.get(owner)?.get(edge)?.size ?? 0;
  }

  edgeEntry({ owner, edge }: EdgeName, member: string): EdgeEntry | undefined {
    const entry = this.#edges.get(owner)?.get(edge)?.get(member);
    return entry && plainEntry(entry);
  }

  counters(owner: string, names: readonly string[]): number[] {
    return names.map((name) => this.#counters.get(`${owner}\0${name}`) ?? 0);
  }

  // ---------------------------------------------------------------- records

  append(entries: readonly JournalEntry[], refuseGaps: boolean): StoredRecord[] {
    for (const entry of entries) requireEntry(entry);
    if (refuseGaps && this.kind === 'redis') this.#refuseGaps(entries);
    const changed = entries.flatMap((entry) => this.#applyEntry(entry) ?? []);
    this.#forgetUndo();
    return changed.map(copyOf);
  }

  #lastApplied = ({ broadcastId, fence }: JournalEntry): number => this.#applied.get(`${broadcastId}\0${fence}`) ?? 0;

  #refuseGaps(entries: readonly JournalEntry[]): void {
    const seen = new Map<string, number>();
    for (const entry of entries) {
      const { broadcastId, fence, number } = entry;
      if (this.#heads.get(broadcastId)?.isDeleted) continue;
      const key = `${broadcastId}\0${fence}`;
      const before = seen.get(key) ?? this.#lastApplied(entry);
      if (number > before + 1) throw new StoreGapError(broadcastId, fence, this.#lastApplied(entry));
      seen.set(key, Math.max(before, number));
    }
  }

  #applyEntry(entry: JournalEntry): StoredRecord | undefined {
    const { broadcastId, fence, number, change } = entry;
    const head = this.#heads.get(broadcastId) ?? NO_RECORDS;
    if (head.isDeleted) return undefined;
    const isTwice = number <= this.#lastApplied(entry);
    if (isTwice && this.#fault !== 'entries-twice') return undefined;
    this.#put(this.#applied, `${broadcastId}\0${fence}`, number);
    const log = this.#logOf(broadcastId);
    const former = log.get(change.body.id);
    if (former === undefined && head.total >= RECORDS_PER_BROADCAST_MAX) {
      const uncounted = head.uncounted + Number(change.change === 'raised');
      this.#put(this.#heads, broadcastId, { ...head, uncounted });
      return undefined;
    }
    if (!isTwice && isLateRaise(change, former)) return undefined;
    const lastRevision = head.lastRevision + 1;
    const total = head.total + Number(former === undefined);
    const record = copyOf(storedRecord(change, former?.sequence ?? total, lastRevision, isTwice ? undefined : former));
    const open = head.open + Number(isOpen(record)) - Number(former !== undefined && isOpen(former));
    this.#put(this.#heads, broadcastId, { ...head, total, open, lastRevision });
    this.#put(log, record.id, record);
    return record;
  }

  #logOf(broadcastId: string): Map<string, StoredRecord> {
    const found = this.#records.get(broadcastId);
    if (found !== undefined) return found;
    const log = new Map<string, StoredRecord>();
    this.#put(this.#records, broadcastId, log);
    return log;
  }

  recordPage(broadcastId: string, query: RecordQuery): RecordPage {
    const plan = planRecords(query);
    const all = [...(this.#records.get(broadcastId)?.values() ?? [])].filter((record) => matches(record, query));
    const walk = ({ by, low, high, ascending, limit }: RecordWalk) => {
      const found = all.filter((record) => record[by] >= low && record[by] <= high);
      return found.sort((left, right) => (ascending ? 1 : -1) * (left[by] - right[by])).slice(0, limit);
    };
    const rows = walk(plan.walk);
    const probed = walk(recordProbeFrom(plan, rows[0]?.[plan.walk.by])).length > 0;
    return recordPageOf(plan, rows.map(copyOf), probed);
  }

  record(broadcastId: string, id: string): StoredRecord | undefined {
    const record = this.#records.get(broadcastId)?.get(id);
    return record && copyOf(record);
  }

  recordCounts(broadcastId: string): RecordCounts {
    const { isDeleted: _, ...counts } = this.#heads.get(broadcastId) ?? NO_RECORDS;
    return counts;
  }

  deleteRecords(broadcastId: string): void {
    this.#put(this.#heads, broadcastId, { ...NO_RECORDS, isDeleted: true });
    this.#put(this.#records, broadcastId, undefined);
  }

  // ---------------------------------------------------------------- leases

  acquire(key: string, holder: string, ttlMs: number): Lease | undefined {
    requireName(key, 'a lease');
    requireName(holder, 'a holder');
    const current = this.holder(key);
    if (current !== undefined && current.holder !== holder) return undefined;
    return current === undefined ? this.#next(key, holder, ttlMs) : this.#hold(current, ttlMs);
  }

  takeOver(from: Lease, holder: string, ttlMs: number): Lease | undefined {
    return this.#holds(from) ? this.#next(from.key, holder, ttlMs, from.fence) : undefined;
  }

  renew(lease: Lease, ttlMs: number): boolean {
    if (!this.#holds(lease)) return false;
    this.#hold(lease, ttlMs);
    return true;
  }

  reclaim(lease: Lease, ttlMs: number): boolean {
    if (this.#holds(lease)) return this.renew(lease, ttlMs);
    if (this.holder(lease.key) !== undefined || (this.#fences.get(lease.key) ?? 0) !== lease.fence) return false;
    this.#hold(lease, ttlMs);
    return true;
  }

  release(lease: Lease): void {
    if (this.#holds(lease)) this.#put(this.#leases, lease.key, undefined);
  }

  holder(key: string): Lease | undefined {
    const held = this.#leases.get(key);
    if (held === undefined || held.untilMs <= this.nowMs()) return undefined;
    return { key, holder: held.holder, fence: held.fence };
  }

  #holds(lease: Lease): boolean {
    const current = this.holder(lease.key);
    return current !== undefined && current.holder === lease.holder && current.fence === lease.fence;
  }

  /** Fences of Redis are at least its time in seconds: a failover may lose the last one. */
  #next(key: string, holder: string, ttlMs: number, former = 0): Lease {
    const next = Math.max(this.#fences.get(key) ?? 0, former) + 1;
    const fence = this.kind === 'redis' ? Math.max(next, Math.floor(this.wallMs() / 1_000)) : next;
    this.#put(this.#fences, key, fence);
    return this.#hold({ key, holder, fence }, ttlMs);
  }

  #hold(lease: Lease, ttlMs: number): Lease {
    const { key, holder, fence } = lease;
    this.#put(this.#leases, key, { holder, fence, untilMs: this.nowMs() + ttlMs });
    this.#forgetUndo();
    return { key, holder, fence };
  }

  proveAlive(holder: string, ttlMs: number): void {
    this.#put(this.#alive, requireName(holder, 'a holder'), this.nowMs() + ttlMs);
    this.#forgetUndo();
  }

  isAlive(holder: string): boolean {
    return (this.#alive.get(holder) ?? 0) > this.nowMs();
  }

  // ---------------------------------------------------------------- short-lived values

  set(key: string, text: string, ttlMs: number): void {
    this.#setValue(requireName(key, 'a key'), { text, group: undefined, untilMs: this.nowMs() + ttlMs });
  }

  setIn(group: string, key: string, text: string, { max, ttlMs }: GroupBounds): void {
    const full = requireName(`${group}/${requireName(key, 'a key')}`, 'a key in a group');
    this.#put(this.#values, full, undefined, true);
    const members = [...this.#values].filter(([, value]) => value.group === group).map(([name]) => name);
    for (const oldest of members.slice(0, Math.max(0, members.length - max + 1)))
      this.#put(this.#values, oldest, undefined, true);
    this.#setValue(full, { text, group, untilMs: this.nowMs() + ttlMs });
  }

  #setValue(full: string, value: Value): void {
    this.#put(this.#values, full, undefined, true);
    this.#put(this.#values, full, value, true);
    this.#forgetUndo();
  }

  value(full: string): unknown {
    const value = this.#values.get(full);
    return value === undefined || value.untilMs <= this.nowMs() ? undefined : JSON.parse(value.text);
  }
}

/** A copy as a store gives it, which shares nothing. */
function copyOf<Item>(value: Item): Item {
  return JSON.parse(JSON.stringify(value)) as Item;
}

const plainEntry = ({ member, score, value }: Entry): EdgeEntry =>
  value === undefined ? { member, score } : { member, score, value: copyOf(value) };

function walked(entries: readonly Entry[], { low, high, ascending, offset, limit }: Walk): Entry[] {
  const compare = (entry: Entry, bound: Walk['low']) =>
    entry.score - bound.score || Buffer.compare(entry.bytes, Buffer.from(bound.member));
  const found = entries.filter((entry) => {
    const [toLow, toHigh] = [compare(entry, low), compare(entry, high)];
    return (toLow > 0 || (toLow === 0 && low.inclusive)) && (toHigh < 0 || (toHigh === 0 && high.inclusive));
  });
  if (!ascending) found.reverse();
  return found.slice(offset, offset + limit);
}

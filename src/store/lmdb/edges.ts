/** Ordered lists and counters of an object. An entry has a row by place and one by member; each list has a size row. */
import { isObject } from '../../lib/objects.js';
import type { EdgeEntry, EdgeName, EdgePage, PageQuery } from '../../ports/index.js';
import { type PagePlan, pageOf, planPage, probeFrom, type Walk } from '../shared/edge-range.js';
import { isName, requireName, requireScore } from '../shared/names.js';
import { highKey, lowKey, name, ownerPrefix, positionKey, prefix, readPosition } from './keys.js';
import type { Sweeper } from './sweeper.js';
import { scan, type Table, type Tables } from './tables.js';

/** Identifies the table in the sweeper's list. */
export const EDGES = 'e';

/** The content of a place row: the entry's value, if any. */
interface Place {
  readonly v?: unknown;
}

export class LmdbEdges {
  /** owner, generation, kind, …: `e` places, `m` members, `s` sizes, `c` counters. */
  readonly rows: Table<unknown>;
  readonly #generations: Table<number>;
  readonly #sweeper: () => Sweeper;

  constructor(tables: Tables, sweeper: () => Sweeper) {
    this.rows = tables.table<unknown>('edges');
    this.#generations = tables.table<number>('generations');
    this.#sweeper = sweeper;
  }

  page(edge: EdgeName, query: PageQuery): EdgePage {
    const plan: PagePlan = planPage(query);
    if (!isName(edge.owner) || !isName(edge.edge)) return pageOf(plan, [], false);
    const places = this.#places(edge);
    const rows = this.#walk(places, plan.walk);
    return pageOf(plan, rows, this.#walk(places, probeFrom(plan, rows[0])).length > 0);
  }

  size(edge: EdgeName): number {
    if (!isName(edge.owner) || !isName(edge.edge)) return 0;
    return this.#number(this.#key(edge, 's'));
  }

  entry(edge: EdgeName, member: string): EdgeEntry | undefined {
    if (!isName(edge.owner) || !isName(edge.edge) || !isName(member)) return undefined;
    const generation = this.#generation(edge.owner);
    const score = this.rows.get(prefix(edge.owner, generation, 'm', edge.edge, member));
    if (typeof score !== 'number') return undefined;
    const places = prefix(edge.owner, generation, 'e', edge.edge);
    return entryOf({ score, member }, this.rows.get(positionKey(places, { score, member })));
  }

  counters(owner: string, names: readonly string[]): number[] {
    if (!isName(owner)) return names.map(() => 0);
    const generation = this.#generation(owner);
    return names.map((counter) => (isName(counter) ? this.#number(prefix(owner, generation, 'c', counter)) : 0));
  }

  // The methods below run inside a transaction.

  add(edge: EdgeName, entry: EdgeEntry): void {
    requireName(edge.owner, 'an owner');
    requireName(edge.edge, 'an edge');
    requireName(entry.member, 'a member');
    requireScore(entry.score, 'a score');
    const memberKey = Buffer.concat([this.#key(edge, 'm'), name(entry.member)]);
    const places = this.#places(edge);
    const former = this.rows.get(memberKey);
    if (typeof former === 'number') this.rows.remove(positionKey(places, { score: former, member: entry.member }));
    else this.#addTo(this.#key(edge, 's'), 1);
    this.rows.put(memberKey, entry.score);
    const place: Place = entry.value === undefined ? {} : { v: entry.value };
    this.rows.put(positionKey(places, entry), place);
  }

  remove(edge: EdgeName, member: string): void {
    if (!isName(edge.owner) || !isName(edge.edge) || !isName(member)) return;
    const memberKey = Buffer.concat([this.#key(edge, 'm'), name(member)]);
    const score = this.rows.get(memberKey);
    if (typeof score !== 'number') return;
    this.rows.remove(memberKey);
    this.rows.remove(positionKey(this.#places(edge), { score, member }));
    this.#addTo(this.#key(edge, 's'), -1);
  }

  count(owner: string, counter: string, by: number): void {
    requireName(owner, 'an owner');
    requireName(counter, 'a counter');
    if (!Number.isSafeInteger(by)) throw new RangeError('a counter changes by an integer');
    this.#addTo(prefix(owner, this.#generation(owner), 'c', counter), by);
  }

  setCounter(owner: string, counter: string, value: number): void {
    this.count(owner, counter, value - this.#number(prefix(owner, this.#generation(owner), 'c', counter)));
  }

  /** Deletes all edges and counters of an owner. */
  drop(owner: string): void {
    const generation = this.#generation(owner);
    const rows = ownerPrefix(owner, generation);
    if ([...this.rows.getKeys({ start: rows, end: ownerPrefix(owner, generation + 1), limit: 1 })].length === 0) return;
    this.#generations.put(name(owner), generation + 1);
    this.#sweeper().add(EDGES, rows);
  }

  #generation(owner: string): number {
    return this.#generations.get(name(owner)) ?? 0;
  }

  #key(edge: EdgeName, kind: string): Buffer {
    return prefix(edge.owner, this.#generation(edge.owner), kind, edge.edge);
  }

  #places(edge: EdgeName): Buffer {
    return this.#key(edge, 'e');
  }

  #walk(places: Buffer, walk: Walk): EdgeEntry[] {
    const low = lowKey(places, walk.low);
    const high = highKey(places, walk.high);
    return scan(this.rows, low, high, walk.ascending, walk.limit, walk.offset).map((row) =>
      entryOf(readPosition(places, row.key), row.value),
    );
  }

  #number(key: Buffer): number {
    const value = this.rows.get(key);
    return typeof value === 'number' ? value : 0;
  }

  #addTo(key: Buffer, by: number): void {
    const value = this.#number(key) + by;
    if (value === 0) this.rows.remove(key);
    else this.rows.put(key, value);
  }
}

function entryOf(position: { score: number; member: string }, place: unknown): EdgeEntry {
  const { score, member } = position;
  if (isObject(place) && 'v' in place) return { member, score, value: place.v };
  return { member, score };
}

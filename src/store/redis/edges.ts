/** Edges and counters in Redis. A page is one script, so any query takes one round trip. */
import type { EdgeEntry, EdgeName, EdgePage, PageQuery } from '../../ports/index.js';
import { type Bound, type PagePlan, pageOf, planPage } from '../shared/edge-range.js';
import { isName } from '../shared/names.js';
import type { Argument, RedisConnection } from './connection.js';
import { edgeKey, membersKey, paddedScore, type RedisKeys } from './keys.js';
import { listOf, numberOf, textOf, textOrNothing } from './replies.js';
import { EDGE_PAGE } from './scripts/batch-read.js';

const SCORE_DIGITS = 16;

export class RedisEdges {
  readonly #connection: RedisConnection;
  readonly #keys: RedisKeys;

  constructor(connection: RedisConnection, keys: RedisKeys) {
    this.#connection = connection;
    this.#keys = keys;
  }

  async page(name: EdgeName, query: PageQuery): Promise<EdgePage> {
    const plan = planPage(query);
    if (!isName(name.owner) || !isName(name.edge)) return pageOf(plan, [], false);
    const base = this.#keys.base(name.owner);
    const keys = [edgeKey(base, name.edge), membersKey(base, name.edge)];
    const reply = listOf(await this.#connection.run(EDGE_PAGE, keys, pageArguments(plan)));
    return pageFrom(plan, reply[0], reply[1], reply[2]);
  }

  async size(name: EdgeName): Promise<number> {
    if (!isName(name.owner) || !isName(name.edge)) return 0;
    return numberOf(await this.#connection.send('ZCARD', edgeKey(this.#keys.base(name.owner), name.edge)));
  }

  async entry(name: EdgeName, member: string): Promise<EdgeEntry | undefined> {
    if (!isName(name.owner) || !isName(name.edge) || !isName(member)) return undefined;
    const key = membersKey(this.#keys.base(name.owner), name.edge);
    const value = textOrNothing(await this.#connection.send('HGET', key, member));
    return value === undefined ? undefined : entryOf(member, value);
  }

  async counters(owner: string, names: readonly string[]): Promise<number[]> {
    if (names.length === 0) return [];
    if (!isName(owner)) return names.map(() => 0);
    const reply = listOf(await this.#connection.send('HMGET', `${this.#keys.base(owner)}:c`, ...names));
    return reply.map((value) => Number(textOrNothing(value) ?? 0));
  }
}

/** The arguments of EDGE_PAGE. */
export function pageArguments({ walk, probe }: PagePlan): Argument[] {
  return [
    lex(walk.low, '[', '('),
    lex(walk.high, '[', '('),
    walk.ascending ? 0 : 1,
    walk.offset,
    walk.limit,
    lex(probe.low, '[', '('),
    lex(probe.high, '[', '('),
    probe.ascending ? 0 : 1,
  ];
}

/** Parses the reply of EDGE_PAGE. */
export function pageFrom(plan: PagePlan, rows: unknown, values: unknown, probed: unknown): EdgePage {
  const kept = listOf(values);
  const entries = listOf(rows).map((row, index) => entryOf(textOf(row).slice(SCORE_DIGITS), textOf(kept[index])));
  return pageOf(plan, entries, numberOf(probed) > 0);
}

function lex(bound: Bound, inclusive: string, exclusive: string): string {
  return `${bound.inclusive ? inclusive : exclusive}${paddedScore(bound.score)}${bound.member}`;
}

export function entryOf(member: string, stored: string): EdgeEntry {
  const score = Number(stored.slice(0, SCORE_DIGITS));
  if (stored.length === SCORE_DIGITS) return { member, score };
  const value: unknown = JSON.parse(stored.slice(SCORE_DIGITS + 1));
  return { member, score, value };
}

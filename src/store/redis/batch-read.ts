/** Reads objects and their related data in one round trip. */
import type { BatchCounters, BatchList, BatchRead, BatchResult, PageQuery } from '../../ports/index.js';
import { InvalidCursorError, type PagePlan, planPage } from '../shared/edge-range.js';
import { isName } from '../shared/names.js';
import type { RedisConnection } from './connection.js';
import { entryOf, pageArguments, pageFrom } from './edges.js';
import { membersKey, type RedisKeys } from './keys.js';
import type { KnownKeys, KnownValues } from './known-reads.js';
import { countsOf, RECORD_COUNTS } from './records.js';
import { listOf, numberOf, objectOf, textOf, textOrNothing } from './replies.js';
import { BATCH_READ } from './scripts/batch-read.js';

interface AskedList {
  readonly list: BatchList;
  readonly plan: PagePlan;
}

/** Numbers lists and counters; the reply refers to them by number. */
class Numbered {
  readonly lists: AskedList[] = [];
  readonly counters: BatchCounters[] = [];

  of({ lists, counters }: Pick<BatchRead, 'lists' | 'counters'>): object {
    return {
      lists: lists.flatMap((list) => this.#list(list)),
      counters: counters.map((each) => {
        this.counters.push(each);
        return { ...each, n: this.counters.length - 1 };
      }),
    };
  }

  #list(list: BatchList): object[] {
    const { kind, via, edge, size, query, members } = list;
    const plan = planOf(query);
    if (plan === undefined) return [];
    this.lists.push({ list, plan });
    const n = this.lists.length - 1;
    const page = query.limit === 0 ? {} : { page: pageArguments(plan) };
    return [{ n, kind, via, edge, size, ...page, ...(members === undefined ? {} : { members: this.of(members) }) }];
  }
}

/** Skips an invalid cursor: the later read of the page itself reports it. */
function planOf(query: PageQuery): PagePlan | undefined {
  try {
    return planPage(query);
  } catch (error) {
    if (error instanceof InvalidCursorError) return undefined;
    throw error;
  }
}

/** @throws StoreUnavailableError */
export async function readBatch(connection: RedisConnection, keys: RedisKeys, wanted: BatchRead): Promise<BatchResult> {
  const numbered = new Numbered();
  const { follow, entry } = wanted;
  const [aliases, ids] = [wanted.aliases.filter(isName), wanted.ids.filter(isName)];
  const logs = wanted.recordCounts?.filter(isName) ?? [];
  const heads = { logs, head: RECORD_COUNTS };
  const asked = JSON.stringify({ aliases, ids, follow, ...numbered.of(wanted), entry, ...heads });
  const reply = listOf(await connection.run(BATCH_READ, [], [keys.prefix, asked]));
  const listAt = (n: unknown): AskedList => found(numbered.lists[numberOf(n)]);
  return {
    aliases: inGroups(reply[0], 2).map(([alias, id]) => [textOf(alias), textOrNothing(id)] as const),
    objects: inGroups(reply[1], 2).map(([id, text]) => [textOf(id), objectOf(textOf(id), text)] as const),
    pages: inGroups(reply[2], 5).map(([n, owner, rows, values, probed]) => {
      const { list, plan } = listAt(n);
      const name = { owner: textOf(owner), edge: list.edge };
      return { name, query: list.query, page: pageFrom(plan, rows, values, probed) };
    }),
    sizes: inGroups(reply[3], 3).map(([n, owner, size]) => ({
      name: { owner: textOf(owner), edge: listAt(n).list.edge },
      size: numberOf(size),
    })),
    entries: inGroups(reply[4], 3).map(([owner, member, value]) => {
      const kept = textOrNothing(value);
      return {
        name: { owner: textOf(owner), edge: entry?.edge ?? '' },
        member: textOf(member),
        entry: kept === undefined ? undefined : entryOf(textOf(member), kept),
      };
    }),
    counters: inGroups(reply[5], 3).map(([n, owner, values]) => {
      const { names } = found(numbered.counters[numberOf(n)]);
      const numbers = listOf(values).map((value) => Number(textOrNothing(value) ?? 0));
      return { owner: textOf(owner), values: Object.fromEntries(names.map((name, at) => [name, numbers[at] ?? 0])) };
    }),
    recordCounts: inGroups(reply[6], 2).map(([id, counts]) => [textOf(id), countsOf(counts)] as const),
  };
}

/** One round trip. @throws StoreUnavailableError */
export async function readKnown(
  connection: RedisConnection,
  keys: RedisKeys,
  { ids, owners, edge, member }: KnownKeys,
): Promise<KnownValues> {
  const [objects, ...entries] = await Promise.all([
    connection.send('MGET', ...ids.map((id) => keys.base(id))),
    ...owners.map((owner) => connection.send('HGET', membersKey(keys.base(owner), edge), member)),
  ]);
  const texts = listOf(objects);
  return {
    objects: ids.map((id, index) => objectOf(id, texts[index])),
    entries: entries.map((entry) => {
      const kept = textOrNothing(entry);
      return kept === undefined ? undefined : entryOf(member, kept);
    }),
  };
}

function inGroups(reply: unknown, size: number): (readonly unknown[])[] {
  const flat = listOf(reply);
  return Array.from({ length: flat.length / size }, (_, index) => flat.slice(index * size, (index + 1) * size));
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('the reply refers to an item that was not requested');
  return value;
}

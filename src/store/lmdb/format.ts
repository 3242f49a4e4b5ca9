/** The format of the embedded store: the only entry of its table. */
import type { Log } from '../../ports/index.js';
import { type UpgradeStep, upgrade } from '../shared/format.js';
import { name } from './keys.js';
import type { Tables } from './tables.js';

const KEY = name('format');

export const LMDB_UPGRADES: readonly UpgradeStep<Tables>[] = [
  { what: 'add a format number to the layout of 0.1', run: async () => undefined },
];

export const LMDB_FORMAT = LMDB_UPGRADES.length;

/** @throws StoreFormatError */
export async function upgradeTables(
  tables: Tables,
  where: string,
  log: Log,
  steps: readonly UpgradeStep<Tables>[] = LMDB_UPGRADES,
): Promise<void> {
  await upgrade({
    where,
    found: readFormat(tables),
    steps,
    access: tables,
    save: (format) => saveFormat(tables, format),
    log,
  });
}

export function readFormat(tables: Tables): string | undefined {
  const format = tables.table<number>('format').get(KEY);
  return format === undefined ? undefined : String(format);
}

export async function saveFormat(tables: Tables, format: number): Promise<void> {
  const table = tables.table<number>('format');
  await tables.write(() => table.put(KEY, format));
}

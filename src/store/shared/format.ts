/**
 * The format number of a store, kept in the store itself and checked at every start: an older store is upgraded step by
 * step, a newer one is refused.
 */
import type { Log } from '../../ports/index.js';

/** The store has a format that this version cannot open. */
export class StoreFormatError extends Error {
  override readonly name = 'StoreFormatError';
  readonly code = 'STORE_FORMAT';
  /** Absent if the store is marked by an unfinished restore. */
  readonly found: number | undefined;
  readonly known: number;

  constructor(message: string, found: number | undefined, known: number) {
    super(message);
    this.found = found;
    this.known = known;
  }
}

/**
 * Brings a store to the next format. A step may be interrupted at any point and then runs again from its beginning, so it
 * must be idempotent.
 */
export interface UpgradeStep<Access> {
  /** The change, for the log. */
  readonly what: string;
  readonly run: (access: Access) => Promise<void>;
}

export interface StoreFormat<Access> {
  /** For messages: `the store in /data/store`, `Redis at redis://…`. */
  readonly where: string;
  /** The format found in the store. Undefined: it is new, or of version 0.1, which wrote no format. */
  readonly found: string | undefined;
  /** Step n upgrades format n to n + 1; the last one leads to the format of this version. */
  readonly steps: readonly UpgradeStep<Access>[];
  readonly access: Access;
  readonly save: (format: number) => Promise<void>;
  readonly log: Log;
}

/** Marks a store while a restore writes it: it must not be opened. */
export const RESTORING = 'restoring';

/** Whether the store needs an upgrade before use. @throws StoreFormatError */
export function needsUpgrade(format: Pick<StoreFormat<never>, 'where' | 'found'>, known: number): boolean {
  return formatOf(format, known) < known;
}

/** Runs the missing steps, and saves the format after each. @throws StoreFormatError */
export async function upgrade<Access>(format: StoreFormat<Access>): Promise<void> {
  const { steps, access, save, log, where } = format;
  const first = formatOf(format, steps.length);
  for (const [index, step] of steps.entries()) {
    if (index < first) continue;
    await step.run(access);
    await save(index + 1);
    // A store without a format is usually new: not worth a log line.
    if (format.found !== undefined) log.info({ where, format: index + 1, change: step.what }, 'upgraded the store');
  }
}

function formatOf({ where, found }: Pick<StoreFormat<never>, 'where' | 'found'>, known: number): number {
  if (found === undefined) return 0;
  if (found === RESTORING) {
    const message = `${where} holds an unfinished restore: run npx airlock restore --force again`;
    throw new StoreFormatError(message, undefined, known);
  }
  const format = /^\d{1,9}$/.test(found) ? Number(found) : Number.NaN;
  if (format <= known) return format;
  throw new StoreFormatError(
    `${where} has format ${found}, and this version of Airlock knows formats up to ${known}: ` +
      'start the version that wrote it, or restore a backup into an empty store',
    format,
    known,
  );
}

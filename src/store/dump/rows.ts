/**
 * What a store holds, as rows that do not depend on the kind of store: a backup of one can be restored into the other.
 * Leases are left out, since nothing holds them after a restore; their fences are kept, since they must go on growing.
 * The records of a log follow its row at once, by sequence.
 */
import type { EdgeEntry, EdgeName, JournalEntry, StoredObject } from '../../ports/index.js';
import type { StoredRecord } from '../../spec/error-record.js';

export interface LogRow {
  readonly t: 'log';
  readonly id: string;
  readonly total: number;
  readonly uncounted: number;
  readonly lastRevision: number;
  /** Last entry number applied, by fence. */
  readonly applied: Readonly<Record<string, number>>;
  readonly keepUntilMs: number;
  readonly expiresMs: number;
  readonly deleted: boolean;
}

export type StoreRow =
  | { readonly t: 'object'; readonly object: StoredObject }
  | { readonly t: 'alias'; readonly alias: string; readonly id: string }
  | ({ readonly t: 'edge' } & EdgeName & Pick<EdgeEntry, 'member' | 'score' | 'value'>)
  | { readonly t: 'counter'; readonly owner: string; readonly counter: string; readonly value: number }
  | LogRow
  | { readonly t: 'record'; readonly log: string; readonly record: StoredRecord }
  | { readonly t: 'fence'; readonly key: string; readonly fence: number }
  /** `text` is JSON. */
  | { readonly t: 'volatile'; readonly key: string; readonly text: string; readonly untilMs: number };

/** A row of a backup that the store knows nothing of. */
export type BackupRow =
  | StoreRow
  /** An error record that was on its way to the store, or is in it already: entries are applied once. */
  | { readonly t: 'entry'; readonly entry: JournalEntry }
  /** The server key, in hexadecimal digits. */
  | { readonly t: 'key'; readonly key: string }
  /** A file that is not in the backup. */
  | { readonly t: 'blob'; readonly key: string; readonly size: number };

export interface StoreDump {
  /** Batches of rows, as few at a time as keeps memory small. */
  batches(): AsyncIterable<readonly StoreRow[]>;
  close(): Promise<void>;
}

/** Writes rows into a store that no server has open. A row that comes twice stands as it came last. */
export interface StoreLoader {
  load(rows: readonly StoreRow[]): Promise<void>;
  append(entries: readonly JournalEntry[]): Promise<void>;
  /** Only now a server can open the store. */
  finish(): Promise<void>;
  /** Without `finish`: what was written stays unusable, or is removed. */
  close(): Promise<void>;
}

/** A backup cannot be made, or a restore cannot begin, as things stand. */
export class BackupRefusedError extends Error {
  override readonly name = 'BackupRefusedError';
  readonly code = 'BACKUP_REFUSED';
}

/**
 * The contents of a store as rows that are independent of its type: a backup of one can be restored into the other.
 * Leases are omitted, since no process holds them after a restore; their fences are kept, since they must never decrease.
 * The records of a log directly follow its row, in order of sequence.
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
  /** `text` is JSON. `group`: of a value in one. */
  | {
      readonly t: 'volatile';
      readonly group?: string;
      readonly key: string;
      readonly text: string;
      readonly untilMs: number;
    };

/** A row of a backup: a row of the store, or one of the data beside it. */
export type BackupRow =
  | StoreRow
  /** A journal entry that may or may not be in the store already: entries are applied once. */
  | { readonly t: 'entry'; readonly entry: JournalEntry }
  /** The server key in hexadecimal. */
  | { readonly t: 'key'; readonly key: string }
  /** A file that the backup lists but does not contain. */
  | { readonly t: 'blob'; readonly key: string; readonly size: number };

/** The stores that a backup can be of. */
export const STORE_NAMES = ['lmdb', 'redis'] as const;
export type StoreName = (typeof STORE_NAMES)[number];

export interface StoreDump {
  readonly store: StoreName;
  /** Format of the store. */
  readonly format: number;
  /** Batches of rows, small enough to bound memory. */
  batches(): AsyncIterable<readonly StoreRow[]>;
  close(): Promise<void>;
}

/** Writes rows into a store that no server has open. Of duplicate rows the last one wins. */
export interface StoreLoader {
  load(rows: readonly StoreRow[]): Promise<void>;
  append(entries: readonly JournalEntry[]): Promise<void>;
  /** Commits the restore; only then can a server open the store. */
  finish(): Promise<void>;
  /** Before `finish`: leaves the store unusable, or removes what was written. */
  close(): Promise<void>;
}

/** A backup or restore cannot start in the current state of the store or file. */
export class BackupRefusedError extends Error {
  override readonly name = 'BackupRefusedError';
  readonly code = 'BACKUP_REFUSED';
}

/**
 * Backup and restore. A backup reads store and journal without involving a running server, so that packets do not wait
 * for it: another process can read a snapshot of LMDB, and Redis is a separate server.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { adminSocketPath } from '../../config/data-folder.js';
import { requireDataFolder } from '../../config/folders.js';
import { loadServerKey, restoreServerKey } from '../../config/key-secret.js';
import type { Config } from '../../config/settings/schema.js';
import { isListening } from '../../lib/sockets.js';
import type { Blobs } from '../../ports/index.js';
import { openBlobs, parseBlobUrl } from '../../store/blobs/open.js';
import { BACKUP_FORMAT, type BackupCounts, readBackup, verifyBackup, writeBackup } from '../../store/dump/file.js';
import { ROWS_PER_LOAD } from '../../store/dump/limits.js';
import { BackupRefusedError, type BackupRow, type StoreDump, type StoreLoader } from '../../store/dump/rows.js';
import { type JournalSnapshot, journalFiles, snapshotJournal } from '../../store/journal/read-folder.js';
import { newestFormat, openDump, openLoader, storeSettings } from '../../store/open.js';
import { createLog } from '../system/log.js';
import { systemClock } from '../system/system.js';

/** Bound of the listed names of missing files; the rest is counted. */
const MISSING_SHOWN = 20;
const BLOBS_PER_BATCH = 200;

export interface BackupOptions {
  readonly withKeys: boolean;
  readonly replace: boolean;
  /** Version of this program. */
  readonly version: string;
}

export interface BackupReport {
  readonly counts: BackupCounts;
  readonly bytes: number;
}

/** @throws BackupRefusedError, StoreUnavailableError, StoreFormatError */
export async function makeBackup(config: Config, file: string, options: BackupOptions): Promise<BackupReport> {
  const log = createLog({ level: 'silent' });
  // Before the snapshot of the store: an entry that moves to the store meanwhile is then in both, not in neither.
  const journal = await snapshotJournal(config.dataDir);
  try {
    const dump = await openDump({ ...storeSettings(config), log, clock: systemClock });
    try {
      const header = {
        airlock_backup: BACKUP_FORMAT,
        format: dump.format,
        store: dump.store,
        version: options.version,
        createdAt: new Date(systemClock.wallMs()).toISOString(),
      } as const;
      return await writeBackup(file, options.replace, header, rowsOf(config, dump, journal, options.withKeys));
    } finally {
      await dump.close();
    }
  } finally {
    await journal.close();
  }
}

async function* rowsOf(
  config: Config,
  dump: StoreDump,
  journal: JournalSnapshot,
  withKeys: boolean,
): AsyncGenerator<readonly BackupRow[]> {
  if (withKeys) yield [{ t: 'key', key: loadServerKey(config).toString('hex') }];
  yield* dump.batches();
  for await (const entries of journal.batches()) yield entries.map((entry) => ({ t: 'entry', entry }) as const);
  const blobs = await blobsOf(config);
  try {
    let batch: BackupRow[] = [];
    for await (const { key, size } of blobs.list('')) {
      batch.push({ t: 'blob', key, size });
      if (batch.length < BLOBS_PER_BATCH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  } finally {
    blobs.close?.();
  }
}

export interface RestoreReport {
  readonly counts: BackupCounts;
  readonly createdAt: string;
  readonly hasKeys: boolean;
  /** Files of the backup's list that are missing. */
  readonly missing: number;
  readonly missingNames: readonly string[];
}

/** @throws BadBackupError before anything is written; BackupRefusedError, StoreUnavailableError, StoreInUseError */
export async function restoreBackup(config: Config, file: string, replace: boolean): Promise<RestoreReport> {
  const { header, counts } = await verifyBackup(file);
  const known = await newestFormat(header.store);
  if (header.format > known) {
    throw new BackupRefusedError(
      `${file} is of a store of format ${header.format}, made by Airlock ${header.version}; this version knows formats up to ${known}`,
    );
  }
  const { dataDir } = config;
  requireDataFolder(config);
  if (await isListening(adminSocketPath(config)))
    throw new BackupRefusedError(`a server runs on ${dataDir}: stop it before a restore`);
  if (!replace && (await journalFiles(dataDir)).length > 0) {
    throw new BackupRefusedError(`${dataDir} holds a journal already: restore into an empty folder, or give --force`);
  }
  const log = createLog({ level: 'silent' });
  const loader = await openLoader({ ...storeSettings(config), log, clock: systemClock, replace });
  const blobs = await blobsOf(config);
  try {
    const { replacement, ...missing } = await loadRows(config, file, loader, blobs, replace);
    await loader.finish();
    if (replacement !== undefined) restoreServerKey(config, replacement, true);
    // The journal's entries belong to the replaced store.
    if (replace) await rm(join(dataDir, 'journal'), { recursive: true, force: true });
    return { counts, createdAt: header.createdAt, hasKeys: (counts.key ?? 0) > 0, ...missing };
  } finally {
    blobs.close?.();
    await loader.close();
  }
}

/** A different server key is refused before anything is loaded; with `replace` it is returned, to be replaced after the store. */
async function loadRows(config: Config, file: string, loader: StoreLoader, blobs: Blobs, replace: boolean) {
  let replacement: string | undefined;
  const missingNames: string[] = [];
  let missing = 0;
  for await (const rows of readBackup(file, ROWS_PER_LOAD)) {
    for (const row of rows) {
      if (row.t !== 'key') continue;
      if (replace) replacement = row.key;
      else restoreServerKey(config, row.key, false);
    }
    const stored = rows.flatMap((row) => (row.t === 'key' || row.t === 'entry' || row.t === 'blob' ? [] : [row]));
    if (stored.length > 0) await loader.load(stored);
    const entries = rows.flatMap((row) => (row.t === 'entry' ? [row.entry] : []));
    if (entries.length > 0) await loader.append(entries);
    for (const row of rows) {
      if (row.t !== 'blob' || (await blobs.stat(row.key)) !== undefined) continue;
      missing += 1;
      if (missingNames.length < MISSING_SHOWN) missingNames.push(row.key);
    }
  }
  return { replacement, missing, missingNames };
}

function blobsOf({ dataDir, blobUrl }: Config): Promise<Blobs & { close?(): void }> {
  const s3 = blobUrl === undefined ? undefined : parseBlobUrl(blobUrl);
  return openBlobs({ dataDir, s3, nowMs: systemClock.wallMs() });
}

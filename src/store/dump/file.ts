/**
 * The backup file: lines of JSON, compressed with gzip. The first line is the header; the last one holds the row counts
 * and the SHA-256 of all lines before it, so that a truncated or changed file is rejected before any row is used. The
 * file is read and written as a stream.
 */
import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { codeOf } from '../../lib/errors.js';
import { asCaller } from '../../lib/folder-owner.js';
import { isObject } from '../../lib/objects.js';
import { LINE_BYTES_MAX } from './limits.js';
import { BackupRefusedError, type BackupRow, STORE_NAMES, type StoreName } from './rows.js';

/** Format of the lines of this file, not of the store. */
export const BACKUP_FORMAT = 1;

export interface BackupHeader {
  readonly airlock_backup: number;
  /** Format of the store that was backed up. */
  readonly format: number;
  readonly store: StoreName;
  /** Version of the program that wrote the file. */
  readonly version: string;
  readonly createdAt: string;
}

/** Number of rows by type. */
export type BackupCounts = Readonly<Record<string, number>>;

interface Trailer {
  readonly counts: BackupCounts;
  readonly sha256: string;
}

/** The file is not a backup, is truncated or damaged, or has a newer format. */
export class BadBackupError extends Error {
  override readonly name = 'BadBackupError';
  readonly code = 'BAD_BACKUP';
}

/** @throws BackupRefusedError if the folder does not exist, or the file exists and `replace` is false */
export async function writeBackup(
  path: string,
  replace: boolean,
  header: BackupHeader,
  batches: AsyncIterable<readonly BackupRow[]>,
): Promise<{ readonly counts: BackupCounts; readonly bytes: number }> {
  if (!existsSync(dirname(path))) throw new BackupRefusedError(`cannot write the backup to ${path}: no such folder`);
  if (!replace) requireAbsent(path);
  const draft = `${path}.${process.pid}.part`;
  const counts: Record<string, number> = {};
  try {
    const fd = asCaller(() => openSync(draft, 'wx', 0o600));
    const file = createWriteStream(draft, { fd, flush: true });
    await pipeline(Readable.from(linesOf(header, batches, counts), { objectMode: true }), createGzip(), file);
    return asCaller(() => {
      const { size } = statSync(draft);
      if (replace) renameSync(draft, path);
      // Unlike a rename, a link fails if the file was created meanwhile.
      else linkSync(draft, path);
      return { counts, bytes: size };
    });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') requireAbsent(path);
    throw error;
  } finally {
    asCaller(() => rmSync(draft, { force: true }));
  }
}

function requireAbsent(path: string): void {
  if (existsSync(path)) throw new BackupRefusedError(`${path} already exists: choose another name or pass --force`);
}

async function* linesOf(
  header: BackupHeader,
  batches: AsyncIterable<readonly BackupRow[]>,
  counts: Record<string, number>,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const first = `${JSON.stringify(header)}\n`;
  hash.update(first);
  yield first;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    for (const { t } of batch) counts[t] = (counts[t] ?? 0) + 1;
    const text = batch.map((row) => `${JSON.stringify(row)}\n`).join('');
    hash.update(text);
    yield text;
  }
  const trailer: Trailer = { counts, sha256: hash.digest('hex') };
  yield `${JSON.stringify({ t: 'end', ...trailer })}\n`;
}

/** Reads the whole file once. @throws BadBackupError */
export async function verifyBackup(
  path: string,
): Promise<{ readonly header: BackupHeader; readonly counts: BackupCounts }> {
  const hash = createHash('sha256');
  let header: BackupHeader | undefined;
  let last: Buffer | undefined;
  for await (const line of lines(path)) {
    header ??= headerOf(path, line);
    if (last !== undefined) hash.update(last).update('\n');
    last = Buffer.from(line);
  }
  const trailer = last === undefined ? undefined : trailerOf(last);
  if (header === undefined || trailer === undefined)
    throw new BadBackupError(`${path} is truncated: its end is missing`);
  if (trailer.sha256 !== hash.digest('hex'))
    throw new BadBackupError(`${path} is damaged: its checksum does not match`);
  return { header, counts: trailer.counts };
}

/** The rows of a verified file, without its first and last line. */
export async function* readBackup(path: string, rowsPerBatch: number): AsyncGenerator<readonly BackupRow[]> {
  let batch: BackupRow[] = [];
  let isFirst = true;
  for await (const line of lines(path)) {
    if (isFirst) {
      isFirst = false;
      continue;
    }
    const row: BackupRow | { readonly t: 'end' } = JSON.parse(line.toString());
    if (row.t === 'end') break;
    batch.push(row);
    if (batch.length < rowsPerBatch) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function headerOf(path: string, line: Buffer): BackupHeader {
  const header = parsed(line);
  const format: unknown = header?.airlock_backup;
  if (header === undefined || typeof format !== 'number') throw new BadBackupError(`${path} is not an Airlock backup`);
  if (format > BACKUP_FORMAT) {
    throw new BadBackupError(
      `${path} has backup format ${format}, made by Airlock ${String(header.version)}; this version reads ${BACKUP_FORMAT}`,
    );
  }
  return {
    airlock_backup: format,
    format: Number(header.format),
    store: STORE_NAMES.find((name) => name === header.store) ?? 'lmdb',
    version: String(header.version),
    createdAt: String(header.createdAt),
  };
}

function trailerOf(line: Buffer): Trailer | undefined {
  const found = parsed(line);
  if (found?.t !== 'end' || typeof found.sha256 !== 'string') return undefined;
  const counts = isObject(found.counts) ? found.counts : {};
  return {
    sha256: found.sha256,
    counts: Object.fromEntries(Object.entries(counts).map(([kind, count]) => [kind, Number(count)])),
  };
}

function parsed(line: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return isObject(value) ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** @throws BadBackupError for damaged compression or an oversized line */
async function* lines(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { fd: asCaller(() => openSync(path, 'r')) });
  const text = createGunzip();
  const reading = pipeline(file, text);
  // The loop below reports the error; an unhandled rejection would end the process first.
  reading.catch(() => undefined);
  let rest: Buffer[] = [];
  let restBytes = 0;
  try {
    for await (const chunk of text as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        yield Buffer.concat([...rest, chunk.subarray(from, at)]);
        rest = [];
        restBytes = 0;
        from = at + 1;
      }
      rest.push(chunk.subarray(from));
      restBytes += chunk.length - from;
      if (restBytes > LINE_BYTES_MAX) throw new BadBackupError(`${path} is not an Airlock backup: a line is too long`);
    }
    await reading;
  } catch (error) {
    if (!codeOf(error).startsWith('Z_')) throw error;
    const what = codeOf(error) === 'Z_BUF_ERROR' ? 'is truncated' : 'is damaged or is not an Airlock backup';
    throw new BadBackupError(`${path} ${what}`, { cause: error });
  } finally {
    file.destroy();
    text.destroy();
  }
}

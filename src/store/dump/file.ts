/**
 * The file of a backup: lines of JSON, compressed with gzip. The first line says what it is, the last one how many rows
 * there are and the SHA-256 of all lines before it, so that a file that was cut off or changed is noticed before any of
 * it is used. It is read and written as a stream.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { link, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { codeOf } from '../../lib/errors.js';
import { isObject } from '../../lib/objects.js';
import { LINE_BYTES_MAX } from './limits.js';
import { BackupRefusedError, type BackupRow } from './rows.js';

/** Of the lines of this file, not of the store. */
export const BACKUP_FORMAT = 1;

export interface BackupHeader {
  readonly airlock_backup: number;
  /** The format of the store that it was made of. */
  readonly format: number;
  readonly store: 'lmdb' | 'redis';
  /** The program that made it. */
  readonly version: string;
  readonly createdAt: string;
}

/** Rows by what they are. */
export type BackupCounts = Readonly<Record<string, number>>;

interface Trailer {
  readonly counts: BackupCounts;
  readonly sha256: string;
}

/** The file is no backup, is not whole, or is of a newer version. */
export class BadBackupError extends Error {
  override readonly name = 'BadBackupError';
  readonly code = 'BAD_BACKUP';
}

/** @throws BackupRefusedError when the file exists and is not to be replaced */
export async function writeBackup(
  path: string,
  replace: boolean,
  header: BackupHeader,
  batches: AsyncIterable<readonly BackupRow[]>,
): Promise<{ readonly counts: BackupCounts; readonly bytes: number }> {
  if (!replace) requireAbsent(path);
  const draft = `${path}.${process.pid}.part`;
  const counts: Record<string, number> = {};
  try {
    const file = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(linesOf(header, batches, counts), { objectMode: true }), createGzip(), file);
    const { size } = await stat(draft);
    if (replace) await rename(draft, path);
    // Unlike a rename, a link never takes the place of a file that has come meanwhile.
    else await link(draft, path);
    return { counts, bytes: size };
  } catch (error) {
    if (codeOf(error) === 'EEXIST') requireAbsent(path);
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function requireAbsent(path: string): void {
  if (existsSync(path)) throw new BackupRefusedError(`${path} exists already: choose another name, or give --force`);
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
  if (header === undefined || trailer === undefined) throw new BadBackupError(`${path} is cut off: its end is missing`);
  if (trailer.sha256 !== hash.digest('hex')) throw new BadBackupError(`${path} is damaged: its checksum is wrong`);
  return { header, counts: trailer.counts };
}

/** The rows of a file that was verified, without its first and last line. */
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
    store: header.store === 'redis' ? 'redis' : 'lmdb',
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

/** @throws BadBackupError for what is not compressed soundly, or has a line without end */
async function* lines(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path);
  const text = createGunzip();
  const reading = pipeline(file, text);
  // Reported by the loop below; without a listener the rejection would end the process first.
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
    const what = codeOf(error) === 'Z_BUF_ERROR' ? 'is cut off' : 'is damaged, or is not an Airlock backup';
    throw new BadBackupError(`${path} ${what}`, { cause: error });
  } finally {
    file.destroy();
    text.destroy();
  }
}

/**
 * An embedded store as version 0.1 left it: a Page, a live video with three records, a deleted video, a deleted log, a
 * fence, a counter, an alias and a short-lived value. Recorded from that version's own code (test/fixtures/store-0.1).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const RECORDED = join(import.meta.dirname, '..', 'fixtures', 'store-0.1', 'data.mdb.gz');

/** When it was recorded, by the clock of the program that did. */
export const RECORDED_MS = 1_700_000_000_000;

export function putStoreOfVersion01(dataDir: string): void {
  mkdirSync(join(dataDir, 'store'), { recursive: true });
  writeFileSync(join(dataDir, 'store', 'data.mdb'), gunzipSync(readFileSync(RECORDED)));
}

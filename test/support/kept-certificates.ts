/**
 * The certificates of the first test server, kept for the next ones: creating an authority and a certificate takes a third of
 * the processor time of a start. A server checks what it finds and replaces what is not current, so nothing here expires.
 * `e2e/serve` starts on an empty folder.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'airlock-test');
const KEPT = join(CACHE, 'certs');

/** Gives a new server the kept certificates. */
export function copyCertificates(to: string): void {
  if (existsSync(to) || !existsSync(KEPT)) return;
  try {
    cpSync(KEPT, to, { recursive: true });
  } catch {
    // Replaced meanwhile by another worker: the server creates its own.
    rmSync(to, { recursive: true, force: true });
  }
}

/** Keeps the certificates of a server, where none are kept or it had to replace them. */
export function keepCertificates(from: string): void {
  const made = leafIn(from);
  if (made === undefined || made === leafIn(KEPT)) return;
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, 'draft-'));
  try {
    cpSync(from, join(draft, 'certs'), { recursive: true });
    rmSync(KEPT, { recursive: true, force: true });
    renameSync(join(draft, 'certs'), KEPT);
  } catch {
    // Another worker kept its own at the same time.
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function leafIn(folder: string): string | undefined {
  const path = join(folder, 'server.crt');
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

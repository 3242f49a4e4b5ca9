/** Writes certificates and keys. */
import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import type { PemPair } from './authority.js';

/** Key first, each file replaced atomically: a reader gets the old pair, the new pair, or a mismatch that it retries. */
export function writePair(pair: PemPair, certFile: string, keyFile: string): void {
  replaceFile(keyFile, pair.privateKey, 0o600);
  replaceFile(certFile, pair.certificate, 0o644);
}

export function replaceFile(path: string, content: string, mode: number): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, content, { mode, flush: true });
  chmodSync(draft, mode);
  renameSync(draft, path);
}

/** Files of the certificate from an ACME authority, in the folder of certificates: the pair in use, and its status for `doctor`. */
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PemPair } from './authority.js';

/** Key first, each file replaced atomically: a reader gets the old pair, the new pair, or a mismatch that it retries. */
export function writePair(pair: PemPair, certFile: string, keyFile: string): void {
  replaceFile(keyFile, pair.privateKey, 0o600);
  replaceFile(certFile, pair.certificate, 0o644);
}

function replaceFile(path: string, content: string, mode: number): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, content, { mode, flush: true });
  chmodSync(draft, mode);
  renameSync(draft, path);
}

export const acmePaths = (folder: string) => ({
  certFile: join(folder, 'acme.crt'),
  keyFile: join(folder, 'acme.key'),
});

const statusFile = (folder: string): string => join(folder, 'acme-status.json');

/** Puts the pair into use: the listeners watch the files. False: it is in use already. */
export function useAcmePair(folder: string, pair: PemPair): boolean {
  const { certFile, keyFile } = acmePaths(folder);
  if (textOf(certFile) === pair.certificate && textOf(keyFile) === pair.privateKey) return false;
  writePair(pair, certFile, keyFile);
  return true;
}

export function writeAcmeStatus(folder: string, status: object): void {
  const text = `${JSON.stringify(status, null, 2)}\n`;
  if (textOf(statusFile(folder)) !== text) replaceFile(statusFile(folder), text, 0o600);
}

/** Result of the last order. */
export interface AcmeFileStatus {
  readonly expiresMs?: number;
  readonly nextAttemptMs?: number;
  readonly problem?: string;
  readonly detail?: string;
}

/** Undefined before the first order. */
export function readAcmeStatus(folder: string): AcmeFileStatus | undefined {
  try {
    return JSON.parse(textOf(statusFile(folder)) ?? 'null') ?? undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Watches the certificate files and reports each new usable pair, so that listeners reload it without dropping connections. */
import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { type CertificatePaths, readPair } from './certificates.js';

export interface CertificateWatch {
  close(): void;
}

export interface CertificateChange {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Certificate and key are written one after the other; both are read after this long without a change in the folder. */
const SETTLE_MS = 200;
/** Fallback: network file systems and some container mounts report no changes. */
const POLL_MS = 60_000;

/** Uses the certificate that is watched. */
export interface CertificateUser {
  /** Receives each new pair once. */
  use(pair: CertificateChange): void;
  /** The pair does not match or cannot be read: the current one stays in use until a later change is valid. */
  refuse(error: Error): void;
}

/**
 * Folders are watched, since renewals replace files and links.
 * `inUse`: the pair that the listeners read before; the files may have changed since.
 */
export function watchCertificate(
  paths: CertificatePaths,
  inUse: CertificateChange,
  user: CertificateUser,
): CertificateWatch {
  let { cert, key } = inUse;
  let lastFault = '';
  let settling: NodeJS.Timeout | undefined;

  const check = (): void => {
    try {
      const next = readPair(paths);
      lastFault = '';
      if (next.cert.equals(cert) && next.key.equals(key)) return;
      ({ cert, key } = next);
      user.use({ cert, key });
    } catch (error) {
      const fault = errorOf(error);
      if (fault.message !== lastFault) user.refuse(fault);
      lastFault = fault.message;
    }
  };
  const scheduleCheck = (): void => {
    clearTimeout(settling);
    settling = setTimeout(check, SETTLE_MS);
    settling.unref();
  };
  const poll = setInterval(check, POLL_MS);
  poll.unref();
  const watchers: FSWatcher[] = [];
  for (const folder of new Set([paths.certFile, paths.keyFile].map((file) => dirname(file)))) {
    try {
      const watcher = watch(folder, { persistent: false }, scheduleCheck);
      watcher.on('error', (error) => user.refuse(error));
      watchers.push(watcher);
    } catch (error) {
      // No watcher can be opened (watch limit, unsupported file system): polling continues.
      user.refuse(errorOf(error));
    }
  }
  scheduleCheck();
  return {
    close(): void {
      clearTimeout(settling);
      clearInterval(poll);
      for (const watcher of watchers) watcher.close();
    },
  };
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

const RENEWAL_CHECK_MS = 12 * 3_600_000;

/** Renews the local certificate before it expires while the server runs; `watchCertificate` then reloads it. `ensure` never rejects. */
export function renewCertificate(ensure: () => Promise<void>, everyMs = RENEWAL_CHECK_MS): CertificateWatch {
  let isChecking = false;
  const check = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    await ensure();
    isChecking = false;
  };
  const timer = setInterval(check, everyMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

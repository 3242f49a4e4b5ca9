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

/**
 * `onChange` receives each new pair once. A pair that does not match or cannot be read is reported to `onFault`; the current
 * pair stays in use until a later change is valid. Folders are watched, since renewals replace files and links.
 * `inUse`: the pair that the listeners read before; the files may have changed since.
 */
export function watchCertificate(
  paths: CertificatePaths,
  inUse: CertificateChange,
  onChange: (pair: CertificateChange) => void,
  onFault: (error: Error) => void,
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
      onChange({ cert, key });
    } catch (error) {
      const fault = error instanceof Error ? error : new Error(String(error));
      if (fault.message !== lastFault) onFault(fault);
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
  const watchers = [...new Set([paths.certFile, paths.keyFile].map((file) => dirname(file)))].map((folder) =>
    watchFolder(folder, scheduleCheck, onFault),
  );
  scheduleCheck();
  return {
    close(): void {
      clearTimeout(settling);
      clearInterval(poll);
      for (const watcher of watchers) watcher?.close();
    },
  };
}

/** Undefined when no watcher can be opened (watch limit, unsupported file system): polling continues. */
function watchFolder(folder: string, onEvent: () => void, onFault: (error: Error) => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent);
    watcher.on('error', onFault);
    return watcher;
  } catch (error) {
    onFault(error instanceof Error ? error : new Error(String(error)));
    return undefined;
  }
}

const RENEWAL_CHECK_MS = 12 * 3_600_000;

/** Renews the local certificate before it expires while the server runs; `watchCertificate` then reloads it. */
export function renewCertificate(
  ensure: () => Promise<unknown>,
  onFault: (error: Error) => void,
  everyMs = RENEWAL_CHECK_MS,
): CertificateWatch {
  let isChecking = false;
  const check = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    try {
      await ensure();
    } catch (error) {
      onFault(error instanceof Error ? error : new Error(String(error)));
    } finally {
      isChecking = false;
    }
  };
  const timer = setInterval(check, everyMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

/** Tells when the files of a certificate have changed into another pair that can be used, so that listeners take it without dropping anybody. */
import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { type CertificatePaths, ensureCertificate, readPair } from './certificates.js';

export interface CertificateWatch {
  close(): void;
}

export interface CertificateChange {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Certificate and key are written one after the other; both are read when the folder has been quiet this long. */
const SETTLE_MS = 200;
/** Network file systems and some container mounts report no changes. */
const POLL_MS = 60_000;

/**
 * `onChange` gets each new pair once. A pair that does not belong together, or cannot be read, is told to `onFault` and the
 * one in use stays; the next change is looked at again. Folders are watched, since renewals replace files and links.
 */
export function watchCertificate(
  paths: CertificatePaths,
  onChange: (pair: CertificateChange) => void,
  onFault: (error: Error) => void,
): CertificateWatch {
  let { cert, key } = readPair(paths);
  let lastFault = '';
  let settling: NodeJS.Timeout | undefined;

  const look = (): void => {
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
  const soon = (): void => {
    clearTimeout(settling);
    settling = setTimeout(look, SETTLE_MS);
    settling.unref();
  };
  const poll = setInterval(look, POLL_MS);
  poll.unref();
  const watchers = [...new Set([paths.certFile, paths.keyFile].map((file) => dirname(file)))].map((folder) =>
    watchFolder(folder, soon, onFault),
  );
  return {
    close(): void {
      clearTimeout(settling);
      clearInterval(poll);
      for (const watcher of watchers) watcher?.close();
    },
  };
}

/** Without a watcher (too many of them, an odd file system) polling goes on. */
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

const RENEWAL_LOOK_MS = 12 * 3_600_000;

/** Makes the local certificate again in time while the server runs; the watch then takes it up. */
export function renewCertificate(
  config: Parameters<typeof ensureCertificate>[0],
  onFault: (error: Error) => void,
  everyMs = RENEWAL_LOOK_MS,
): CertificateWatch {
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      await ensureCertificate(config);
    } catch (error) {
      onFault(error instanceof Error ? error : new Error(String(error)));
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

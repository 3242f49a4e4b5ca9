/** The process of a role, while it opens what it needs. */
import { type CertificateChange as Pair, watchCertificate } from '../../config/certificates/certificate-watch.js';
import type { CertificatePaths } from '../../config/certificates/certificates.js';
import type { Config } from '../../config/settings/schema.js';
import type { Calls } from '../rpc/calls.js';
import type { RoleLink } from '../rpc/link.js';
import type { Closers } from '../system/closers.js';
import type { ProcessLog } from '../system/log.js';

export interface RoleProcess {
  readonly config: Config;
  readonly log: ProcessLog;
  /** Each part registers here once it is open, for the shutdown and for a failed start. */
  readonly closers: Closers;
  /** Aborted when the process is stopped during its start. */
  readonly signal: AbortSignal;
  readonly link: RoleLink;
  readonly calls: Calls;
  /** This process exports traces. */
  readonly isTraced: boolean;
}

/** Calls `use` with each certificate that replaces the one in use. */
export function followCertificate(
  { log, closers }: Pick<RoleProcess, 'log' | 'closers'>,
  paths: CertificatePaths,
  pair: Pair,
  use: (next: Pair) => void,
): void {
  const refuse = (error: Error) => log.warn({ error }, 'the changed certificate cannot be used; the one in use stays');
  const watch = watchCertificate(paths, pair, { use, refuse });
  closers.add('certificate watch', () => watch.close());
}

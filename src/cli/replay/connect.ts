/** Opens a TLS or plain connection to a server. Error messages name the remedy. */
import { existsSync, readFileSync } from 'node:fs';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { connect as connectTls, rootCertificates } from 'node:tls';
import { CliError, EXIT, messageOf } from '../console/exit.js';
import type { CliIo } from '../console/io.js';
import type { Target } from './target.js';

export interface ConnectOptions {
  readonly target: Target;
  readonly insecure: boolean;
  /** PEM of the trusted authorities; the system's when absent. */
  readonly authorities?: readonly string[];
  /** Cancels the connection attempt and every pending wait. */
  readonly stop?: AbortSignal;
}

export const OPEN_TIMEOUT_MS = 15_000;

/** @throws CliError when the server cannot be reached */
export function openSocket(options: ConnectOptions): Promise<Socket> {
  const { target } = options;
  const { host, port } = target;
  return new Promise((resolve, reject) => {
    const socket = target.secure
      ? connectTls({
          host,
          port,
          rejectUnauthorized: !options.insecure,
          ...(isIP(host) === 0 ? { servername: host } : {}),
          ...(options.authorities === undefined ? {} : { ca: [...options.authorities] }),
        })
      : connectPlain({ host, port });
    const fail = (reason: string) => {
      socket.destroy();
      reject(new CliError(`cannot connect to ${target.tcUrl}: ${reason}`, EXIT.unreachable));
    };
    const onStop = () => fail('stopped');
    options.stop?.addEventListener('abort', onStop, { once: true });
    socket.setTimeout(OPEN_TIMEOUT_MS, () => fail('timed out'));
    socket.once('error', (error: NodeJS.ErrnoException) => fail(connectProblem(error)));
    socket.once(target.secure ? 'secureConnect' : 'connect', () => {
      options.stop?.removeEventListener('abort', onStop);
      socket.setTimeout(0);
      socket.removeAllListeners('error');
      resolve(socket);
    });
  });
}

function connectProblem(error: NodeJS.ErrnoException): string {
  const untrusted = ['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'];
  if (untrusted.includes(error.code ?? '')) {
    return 'certificate not trusted (name its authority with --ca FILE, or skip the check with --insecure)';
  }
  if (error.code === 'ECONNREFUSED') return 'connection refused';
  if (error.code === 'ENOTFOUND') return 'unknown host';
  if (error.code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'the certificate is for other host names (use one of them, or skip the check with --insecure)';
  if (error.code === 'CERT_HAS_EXPIRED') return 'certificate expired';
  if (error.code === 'EPROTO' || error.code === 'ECONNRESET') return `TLS handshake failed (${error.message})`;
  return error.message;
}

/** The system's authorities plus the one of `--ca`, by default the local authority in certs/. */
export function authoritiesOf(options: { readonly ca?: string }, io: CliIo): readonly string[] | undefined {
  const defaultPath = join(resolve(io.cwd, io.env.AIRLOCK_CERTS_DIR || 'certs'), 'ca.crt');
  const path =
    options.ca === undefined ? (existsSync(defaultPath) ? defaultPath : undefined) : resolve(io.cwd, options.ca);
  if (path === undefined) return undefined;
  try {
    return [...rootCertificates, readFileSync(path, 'utf8')];
  } catch (error) {
    throw new CliError(`${options.ca ?? path} cannot be read: ${messageOf(error)}`, EXIT.usage);
  }
}

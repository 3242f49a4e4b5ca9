/** The socket to a server: TLS or plain, with what went wrong in a message that names the remedy. */
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { CliError, EXIT } from '../console/exit.js';
import type { Target } from './target.js';

export interface ConnectOptions {
  readonly target: Target;
  readonly insecure: boolean;
  /** PEM of authorities to trust beside the system's. */
  readonly authorities?: readonly string[];
  /** Gives up connecting, and ends every wait that has begun. */
  readonly stop?: AbortSignal;
}

export const OPEN_TIMEOUT_MS = 15_000;

/** @throws CliError when it cannot be reached */
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
      reject(new CliError(`${target.tcUrl} could not be reached: ${reason}`, EXIT.unreachable));
    };
    const onStop = () => fail('it was stopped');
    options.stop?.addEventListener('abort', onStop, { once: true });
    socket.setTimeout(OPEN_TIMEOUT_MS, () => fail('no answer'));
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
    return 'its certificate is not trusted (name the authority with --ca FILE, or do not check it with --insecure)';
  }
  if (error.code === 'ECONNREFUSED') return 'nobody listens there';
  if (error.code === 'ENOTFOUND') return 'no such host';
  if (error.code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'its certificate is for other names (use one of them, or do not check it with --insecure)';
  if (error.code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (error.code === 'EPROTO' || error.code === 'ECONNRESET') return `the TLS handshake failed (${error.message})`;
  return error.message;
}

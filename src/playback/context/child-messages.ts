/** Messages between the supervisor and its child process over their IPC channel. */
import type { ChildProcess } from 'node:child_process';

export type ToChild =
  /** Sent once, first. The secret signs publish and play requests; it is kept out of arguments and environment. */
  { readonly type: 'start'; readonly secret: string } | { readonly type: 'ping' };

export type FromChild =
  /** Ports on 127.0.0.1. */
  | { readonly type: 'ready'; readonly httpPort: number; readonly rtmpPort: number }
  | { readonly type: 'pong' }
  /** An error that the child logged, or the one that ends it. */
  | { readonly type: 'error'; readonly message: string };

export const STREAM_APP = 'live';

/** Resolves with the cause once a child process has ended, or could not be started. */
export function endOf(child: ChildProcess): Promise<object> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.on('error', (error) => resolve({ error }));
  });
}

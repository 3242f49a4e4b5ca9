import type { ChildProcess } from 'node:child_process';

/** Resolves with the cause once a child process has ended, or could not be started. */
export function endOf(child: ChildProcess): Promise<object> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.on('error', (error) => resolve({ error }));
  });
}

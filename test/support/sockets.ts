/** Sockets of tests: their ends, and requests that leave none open. */
import type { EventEmitter } from 'node:events';

/** Resolves at its close, also after an error. */
export const closeOf = (socket: EventEmitter): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()));

/** The status of an answer that is read to its end: a connection stays open for one that is not, and keeps the process. */
export async function fetchStatus(...request: Parameters<typeof fetch>): Promise<number> {
  const answer = await fetch(...request);
  await answer.arrayBuffer();
  return answer.status;
}

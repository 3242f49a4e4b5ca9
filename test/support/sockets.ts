/** Waits on sockets that may end in an error, which is an end like another. */
import type { EventEmitter } from 'node:events';

export const closeOf = (socket: EventEmitter): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()));

import type { Server } from 'node:net';

/** The TCP port that a server listens on; undefined for a socket file, and while it does not listen. */
export function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
}

/** Listening servers and socket files. */
import { connect, type Server } from 'node:net';

/** The TCP port that a server listens on; undefined for a socket file, and while it does not listen. */
export function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
}

/** Whether a process accepts connections on this socket file. */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * Serves the embedded store to the other processes of the machine, which read LMDB directly and call this server for
 * everything else. Only the user of the process can open the socket file.
 */
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Log } from '../../ports/index.js';
import type { LmdbStore } from '../lmdb/lmdb-store.js';
import { frameOf } from './frames.js';
import { REMOTE_LIMITS } from './limits.js';
import { ServedClient } from './served-client.js';

export interface ServeStoreOptions {
  readonly store: LmdbStore;
  /** See storeSocketPath. */
  readonly path: string;
  readonly log: Log;
}

export interface StoreServer {
  /** Closes the connections; the store stays open. */
  close(): Promise<void>;
}

/** The socket file of the store process cannot be created or listened on. */
export class StoreSocketError extends Error {
  override readonly name = 'StoreSocketError';
  readonly code = 'STORE_SOCKET';

  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `the socket of the store ${path} cannot be opened (${reason}): remove what is there, or set AIRLOCK_DATA_DIR to a shorter path`,
      { cause },
    );
  }
}

/** Owner-only from its creation: the umask alone determines the mode of a socket file. */
const SOCKET_MASK = 0o177;
/** Size of `sun_path` in sockaddr_un on Linux minus the NUL; a longer path would be truncated to another file. */
const PATH_BYTES_MAX = 107;

/** Delay of the check for stale LMDB readers after a connection has closed. */
const ENDED_READER_MS = 250;

/** Resolves when processes can connect. @throws StoreSocketError */
export async function serveStore({ store, path, log }: ServeStoreOptions): Promise<StoreServer> {
  const clients = new Map<Socket, ServedClient>();
  let sweep: NodeJS.Timeout | undefined;
  const server = createServer((socket) => {
    if (clients.size >= REMOTE_LIMITS.clients) {
      socket.destroy();
      return;
    }
    const client = new ServedClient({
      socket,
      store,
      log,
      publish: (topic, { kind, payload }) => {
        const others = [...clients.values()].filter((other) => other !== client && other.hears(topic));
        if (others.length === 0) return;
        const frame = frameOf(kind, payload);
        for (const other of others) other.send(frame);
      },
    });
    clients.set(socket, client);
    socket.once('close', () => {
      clients.delete(socket);
      // The connection of an ended process may close before its lock on LMDB's reader table.
      clearTimeout(sweep);
      sweep = setTimeout(() => store.clearStaleReaders(), ENDED_READER_MS).unref();
    });
  });
  await listen(server, path);
  server.on('error', (error) => log.error({ error }, 'the socket of the store process failed'));
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of clients.keys()) socket.destroySoon();
      // A client that does not read would delay the close.
      const timer = setTimeout(() => {
        for (const socket of clients.keys()) socket.destroy();
      }, REMOTE_LIMITS.backoffMaxMs);
      await closed;
      clearTimeout(timer);
      clearTimeout(sweep);
    },
  };
}

/** This process has claimed the store, so an existing socket file was left behind by a killed process. */
async function listen(server: Server, path: string): Promise<void> {
  try {
    if (Buffer.byteLength(path) > PATH_BYTES_MAX)
      throw new RangeError(`the path is longer than ${PATH_BYTES_MAX} bytes`);
    rmSync(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.once('listening', () => {
        server.off('error', reject);
        resolve();
      });
      const mask = process.umask(SOCKET_MASK);
      try {
        server.listen({ path });
      } finally {
        process.umask(mask);
      }
    });
  } catch (cause) {
    throw new StoreSocketError(path, cause);
  }
}

/** Redis that takes its time over error records, and over nothing else. */
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { APPEND } from '../../src/store/redis/scripts/records.js';
import type { RedisServer } from './redis-server.js';

/** What a far or busy Redis adds to the way of a record. */
const SLOW_MS = 300;

/** In front of Redis: error records arrive late, everything else passes. */
export async function slowRecords(redis: RedisServer): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((client) => {
    const upstream = connect(redis.port, '127.0.0.1');
    upstream.pipe(client);
    let before = Promise.resolve();
    client.on('data', (bytes) => {
      const isSlow = bytes.includes(APPEND.sha);
      before = before.then(async () => {
        if (isSlow) await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
        upstream.write(bytes);
      });
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `redis://127.0.0.1:${address.port}`, server };
}

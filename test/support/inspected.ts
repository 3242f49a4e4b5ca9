/** Runs code inside a running process by its inspector, which SIGUSR1 opens: what a fault of its own would do there. */
import { WebSocket } from 'ws';
import type { Airlock } from './airlock.js';

/** Given to the server, so that each process opens its inspector on a port of its own. */
export const INSPECTABLE = { NODE_OPTIONS: '--inspect-port=0 --max-old-space-size=256' } as const;

const LISTENING = /Debugger listening on (ws:\/\/127\.0\.0\.1:\d+\/[0-9a-f-]+)/g;

/** Starts `expression` in the process and does not wait for it. */
export async function runInside(airlock: Airlock, pid: number, expression: string): Promise<void> {
  const before = [...airlock.log.matchAll(LISTENING)].length;
  process.kill(pid, 'SIGUSR1');
  const found = await airlock.until(
    async () => [...airlock.log.matchAll(LISTENING)].at(before),
    (match) => match !== undefined,
  );
  const socket = new WebSocket(found?.[1] ?? '');
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => socket.terminate());
  const sent = new Promise<void>((resolve) => {
    const params = { expression: `setTimeout(() => { ${expression} }, 50)` };
    socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params }), () => undefined);
    socket.once('message', () => resolve());
  });
  await sent;
  socket.close();
}

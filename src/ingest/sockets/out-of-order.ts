/**
 * Segments of a connection that arrived out of order, as after one that was lost: `ss` of iproute2 asks the Linux kernel for
 * them; Node cannot. Where there is no `ss`, or an old one, nothing is known.
 */
import { execFile } from 'node:child_process';
import { SOCKET_LIMITS } from './limits.js';
import { socketKey } from './receive-queues.js';

/** By both ports; of rows that share them, the fewest segments. */
export type OutOfOrder = ReadonlyMap<string, number>;

/** `Recv-Q Send-Q address:port address:port … rcv_ooopack:64 …`; the count is absent while it is 0. */
const ROW = /^(?:ESTAB\s+)?\d+\s+\d+\s+\S+:(\d+)\s+\S+:(\d+)\s(.*)$/gm;
const COUNT = /\brcv_ooopack:(\d+)/;

export function outOfOrderIn(list: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, local, remote, rest = ''] of list.matchAll(ROW)) {
    const key = socketKey(Number(local), Number(remote));
    const count = Number(COUNT.exec(rest)?.[1] ?? 0);
    counts.set(key, Math.min(count, counts.get(key) ?? count));
  }
  return counts;
}

/** Of the connections with these socket keys; empty where it is not known. */
export function readOutOfOrder(keys: readonly string[]): Promise<OutOfOrder> {
  const asked = keys.slice(0, SOCKET_LIMITS.segmentCounts).map((key) => key.split(' '));
  if (asked.length === 0 || process.platform !== 'linux') return Promise.resolve(new Map());
  const filter = asked.map(([local, remote]) => `( sport = :${local} and dport = :${remote} )`);
  const options = {
    timeout: 2000,
    maxBuffer: 1024 * 1024,
    env: { PATH: process.env.PATH },
    encoding: 'latin1',
  } as const;
  return new Promise((resolve) => {
    const query = ['-tinHO', 'state', 'established', filter.join(' or ')];
    execFile('ss', query, options, (error, list) => resolve(error === null ? outOfOrderIn(list) : new Map()));
  });
}

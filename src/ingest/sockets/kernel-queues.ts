/**
 * Facts about sockets that Linux has and Node does not tell. Bytes that arrived and were not read yet, from `/proc/net/tcp` and
 * `tcp6`: where they wait, this server is late; where there are none, the sender or the network is. Segments that arrived out
 * of order, as after one that was lost, from `ss` of iproute2. Other systems have neither, and an old `ss` lists no segments.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { SOCKET_LIMITS } from './limits.js';

const LISTS = ['/proc/net/tcp', '/proc/net/tcp6'] as const;
const ESTABLISHED = '01';
/** Some 25,000 sockets of the machine: a longer list costs more to read than it tells. */
const MAX_LIST_CHARACTERS = 4 * 1024 * 1024;
/** `sl local_address rem_address st tx_queue:rx_queue …`, addresses as `hex:port`. */
const QUEUE_ROW = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:([0-9A-F]+) /gm;

/** By both ports; of rows that share them, the fewest bytes. */
export type WaitingBytes = ReadonlyMap<string, number>;

export function socketKey(localPort: number, remotePort: number): string {
  return `${localPort} ${remotePort}`;
}

export function waitingIn(list: string, waiting = new Map<string, number>()): Map<string, number> {
  if (list.length > MAX_LIST_CHARACTERS) return waiting;
  for (const [, local = '', remote = '', state, queue = ''] of list.matchAll(QUEUE_ROW)) {
    if (state !== ESTABLISHED) continue;
    const key = socketKey(Number.parseInt(local, 16), Number.parseInt(remote, 16));
    const bytes = Number.parseInt(queue, 16);
    waiting.set(key, Math.min(bytes, waiting.get(key) ?? bytes));
  }
  return waiting;
}

/** Undefined where the system has no such lists. */
export async function readWaiting(): Promise<WaitingBytes | undefined> {
  const lists = await Promise.all(LISTS.map((path) => readFile(path, 'latin1').catch(() => undefined)));
  if (lists.every((list) => list === undefined)) return undefined;
  return lists.reduce((waiting, list) => waitingIn(list ?? '', waiting), new Map<string, number>());
}

/** By both ports; of rows that share them, the fewest segments. */
export type OutOfOrder = ReadonlyMap<string, number>;

/** `Recv-Q Send-Q address:port address:port … rcv_ooopack:64 …`; the count is absent while it is 0. */
const SEGMENT_ROW = /^(?:ESTAB\s+)?\d+\s+\d+\s+\S+:(\d+)\s+\S+:(\d+)\s(.*)$/gm;
const SEGMENT_COUNT = /\brcv_ooopack:(\d+)/;

export function outOfOrderIn(list: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, local, remote, rest = ''] of list.matchAll(SEGMENT_ROW)) {
    const key = socketKey(Number(local), Number(remote));
    const count = Number(SEGMENT_COUNT.exec(rest)?.[1] ?? 0);
    counts.set(key, Math.min(count, counts.get(key) ?? count));
  }
  return counts;
}

/** Counts of the connections with these socket keys; empty where they are not known. */
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

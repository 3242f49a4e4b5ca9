/**
 * Bytes that arrived in the kernel and were not read yet, by socket: Linux lists them in `/proc/net/tcp` and `tcp6`. Where
 * they wait, this server is late; where there are none, the sender or the network is. Other systems have no such list.
 */
import { readFile } from 'node:fs/promises';

const LISTS = ['/proc/net/tcp', '/proc/net/tcp6'] as const;
const ESTABLISHED = '01';
/** Some 25,000 sockets of the machine: a longer list costs more to read than it tells. */
const MAX_LIST_CHARACTERS = 4 * 1024 * 1024;
/** `sl local_address rem_address st tx_queue:rx_queue …`, addresses as `hex:port`. */
const ROW = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:([0-9A-F]+) /gm;

/** By both ports; of rows that share them, the fewest bytes. */
export type WaitingBytes = ReadonlyMap<string, number>;

export function socketKey(localPort: number, remotePort: number): string {
  return `${localPort} ${remotePort}`;
}

export function waitingIn(list: string, waiting = new Map<string, number>()): Map<string, number> {
  if (list.length > MAX_LIST_CHARACTERS) return waiting;
  for (const [, local = '', remote = '', state, queue = ''] of list.matchAll(ROW)) {
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

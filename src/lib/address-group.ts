/** Limits per client count a group of addresses: an IPv4 address alone, an IPv6 address with its whole /64. */
import { isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The key under which limits count an address. One IPv6 host usually has a whole /64 to choose its addresses from, so
 * that a limit per address alone would not limit it. An IPv4-mapped IPv6 address counts as its IPv4 address. What is not
 * an address is its own group.
 */
export function addressGroup(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  return `${networkHalf(address).join(':')}::/64`;
}

/** The first four of the eight groups, without leading zeros. */
function networkHalf(address: string): string[] {
  const [plain = ''] = address.split('%');
  const [head = '', tail] = plain.split('::');
  const before = groupsOf(head);
  if (tail === undefined) return before.slice(0, 4);
  const after = groupsOf(tail);
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4);
}

/** A dotted quad at the end stands for two groups; only its place counts here. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text
    .split(':')
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : [Number.parseInt(group, 16).toString(16)]));
}

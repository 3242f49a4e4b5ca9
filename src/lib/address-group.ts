/** Address groups for limits per client: a single IPv4 address, or the /64 prefix of an IPv6 address, and wider networks. */
import { isIPv4, isIPv6 } from 'node:net';

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The key under which limits count an address. An IPv6 host usually has a /64 of its own, so a limit per address would be
 * without effect. An IPv4-mapped IPv6 address counts as its IPv4 address. Text that is not an address is its own group.
 */
export function addressGroup(address: string): string {
  const mapped = MAPPED_IPV4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  return `${networkHalf(address).join(':')}::/64`;
}

/**
 * The networks of an address, the widest first, its own group last: /24 for IPv4, /48 and /56 for IPv6. These are the blocks
 * that a provider assigns, so an attacker with many groups rarely has as many networks.
 */
export function networksOf(address: string): readonly string[] {
  const group = addressGroup(address);
  if (isIPv4(group)) return [`${group.slice(0, group.lastIndexOf('.'))}.0/24`, group];
  if (!isIPv6(address) || group === address) return [group];
  const half = networkHalf(address);
  const site = half.slice(0, 3).join(':');
  const subnet = Number.parseInt(half[3] ?? '0', 16);
  return [`${site}::/48`, `${site}:${(subnet & 0xff00).toString(16)}::/56`, group];
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

/** A trailing dotted quad takes the place of two groups; its value is not needed. */
function groupsOf(text: string): string[] {
  if (text === '') return [];
  return text
    .split(':')
    .flatMap((group) => (group.includes('.') ? ['0', '0'] : [Number.parseInt(group, 16).toString(16)]));
}

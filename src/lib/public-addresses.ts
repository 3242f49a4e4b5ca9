/**
 * Which addresses are on the public internet: all except those in the special-purpose registries (IANA, RFC 6890), and public
 * ones at which a cloud serves credentials and settings to its own machines.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

const SPECIAL = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The wire server of Azure.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  SPECIAL.addSubnet(network, prefix, 'ipv4');
}

/** In IPv6 only global unicast is public, except its tunneling, translation and documentation prefixes. */
const GLOBAL_UNICAST = new BlockList();
GLOBAL_UNICAST.addSubnet('2000::', 3, 'ipv6');
const SPECIAL_V6 = new BlockList();
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
] as const) {
  SPECIAL_V6.addSubnet(network, prefix, 'ipv6');
}

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !SPECIAL.check(address, 'ipv4');
  // Addresses that map or translate IPv4 outside 2000::/3 are refused, whatever they lead to.
  return isIP(address) === 6 && GLOBAL_UNICAST.check(address, 'ipv6') && !SPECIAL_V6.check(address, 'ipv6');
}

/** Public, and not an address of this machine: services that listen there may trust what comes from it. */
export function isForeignPublicAddress(address: string): boolean {
  return isPublicAddress(address) && !isOwnAddress(address, Object.values(networkInterfaces()).flat());
}

/** Compared as addresses: the same one has several notations in IPv6. */
export function isOwnAddress(address: string, own: readonly ({ readonly address: string } | undefined)[]): boolean {
  const list = new BlockList();
  for (const each of own) {
    if (each !== undefined) list.addAddress(each.address, isIPv4(each.address) ? 'ipv4' : 'ipv6');
  }
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

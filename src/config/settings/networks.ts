/** Networks in CIDR notation. Free of the schema library, which a role process does not load. */
import { BlockList, isIP } from 'node:net';

/** Networks in CIDR notation, as written and as a matcher. */
export interface NetworkList {
  readonly networks: readonly string[];
  /** An IPv4-mapped IPv6 address matches IPv4 networks. */
  includes(address: string): boolean;
}

/** @throws RangeError that names the first text which is no network */
export function networkList(networks: readonly string[]): NetworkList {
  const matcher = new BlockList();
  for (const network of networks) {
    if (!addNetwork(matcher, network)) throw new RangeError(`"${network}" is not a network such as 10.0.0.0/8`);
  }
  return Object.freeze({
    networks: Object.freeze([...networks]),
    includes(address: string): boolean {
      const plain =
        address.toLowerCase().startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
      const family = isIP(plain);
      return family !== 0 && matcher.check(plain, family === 6 ? 'ipv6' : 'ipv4');
    },
  });
}

function addNetwork(matcher: BlockList, network: string): boolean {
  const [address = '', prefix, ...rest] = network.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  const bits = prefix === undefined ? (family === 6 ? 128 : 32) : prefixLength(prefix);
  if (bits === undefined || bits > (family === 6 ? 128 : 32)) return false;
  matcher.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4');
  return true;
}

function prefixLength(text: string): number | undefined {
  return /^\d{1,3}$/.test(text.trim()) ? Number(text) : undefined;
}

/** Loopback: `localhost`, 127.0.0.0/8, ::1. */
export function isLoopback(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/, '');
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

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

/** Networks that outgoing connections may reach, each with one port, a range of ports, or the usual ports of the connection. */
export interface TargetNetworks {
  /** Networks as the operator wrote them. */
  readonly networks: readonly string[];
  /** `usual` are the ports where a network names none. */
  allows(address: string, port: number, usual: ReadonlySet<number>): boolean;
}

/**
 * `10.0.0.0/8`, `10.0.0.7:9000`, `10.0.0.0/8:8000-8999`, `fd00::/8`, `[fd00::/8]:8443`.
 * @throws RangeError that names the first text which is no such network
 */
export function targetNetworks(networks: readonly string[]): TargetNetworks {
  const rows = networks.map(targetNetwork);
  return Object.freeze({
    networks: Object.freeze([...networks]),
    allows: (address: string, port: number, usual: ReadonlySet<number>) =>
      rows.some(
        ({ network, ports }) =>
          (ports === undefined ? usual.has(port) : port >= ports.first && port <= ports.last) &&
          network.includes(address),
      ),
  });
}

interface TargetNetwork {
  readonly network: NetworkList;
  readonly ports: { readonly first: number; readonly last: number } | undefined;
}

function targetNetwork(text: string): TargetNetwork {
  // More than one colon without brackets is an IPv6 network.
  const parts =
    /^\[(.+)\](?::(.+))?$/.exec(text)?.slice(1) ?? (text.split(':').length === 2 ? text.split(':') : [text]);
  const [network = '', ports] = parts;
  try {
    return { network: networkList([network]), ports: ports === undefined ? undefined : portRange(ports) };
  } catch {
    throw new RangeError(
      `"${text}" is not a network such as 10.0.0.0/8, 10.0.0.0/8:9000, 10.0.0.0/8:8000-8999 or [fd00::/8]:8443`,
    );
  }
}

/** @throws RangeError */
function portRange(text: string): { readonly first: number; readonly last: number } {
  const [, low, high = low] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const [first, last] = [Number(low), Number(high)];
  if (!(first >= 1 && first <= last && last <= 65_535)) throw new RangeError(`"${text}" is no range of ports`);
  return { first, last };
}

/** Loopback: `localhost`, 127.0.0.0/8, ::1. */
export function isLoopback(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/, '');
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

/** Which addresses a forward may reach: public ones on the usual ports, and networks that the operator named. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isForeignPublicAddress } from '../../lib/public-addresses.js';

/** Ports of RTMP, RTMPS, and those that ingests use to get through firewalls. */
const PORTS: ReadonlySet<number> = new Set([80, 443, 1935, 1936, 19350]);

export interface Reachable {
  /** Allowed beside public addresses; `usual` are the ports where a network names none. */
  readonly networks: { allows(address: string, port: number, usual: ReadonlySet<number>): boolean };
  /** Resolves a name to all its addresses. */
  readonly resolve?: (hostName: string) => Promise<readonly LookupAddress[]>;
}

export class AddressError extends Error {
  override readonly name = 'AddressError';
  readonly code = 'FORWARD_ADDRESS';
}

function isAllowed({ networks }: Reachable, address: string, port: number): boolean {
  return (PORTS.has(port) && isForeignPublicAddress(address)) || networks.allows(address, port, PORTS);
}

/** Why a target with this host may not be added; undefined for a name, whose addresses are checked with each connection. */
export function hostRefusal(reachable: Reachable, host: string, port: number): string | undefined {
  if (isIP(host) === 0 || isAllowed(reachable, host, port)) return undefined;
  return notAllowed(host, port);
}

/**
 * The addresses to connect to. A single one that is not allowed is enough to refuse: such a name is meant to reach internal hosts.
 * @throws AddressError
 */
export async function reachableAddresses(
  reachable: Reachable,
  host: string,
  port: number,
): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  const resolve = reachable.resolve ?? ((name: string) => lookup(name, { all: true, verbatim: true }));
  const found = family === 0 ? await resolved(resolve, host) : [{ address: host, family }];
  for (const { address } of found) {
    if (!isAllowed(reachable, address, port)) throw new AddressError(notAllowed(host, port));
  }
  return found;
}

async function resolved(resolve: NonNullable<Reachable['resolve']>, host: string): Promise<readonly LookupAddress[]> {
  const found = await resolve(host).catch(() => []);
  if (found.length === 0) throw new AddressError(`the host ${host} has no address`);
  return found;
}

/** Names no address, so that a name tells nothing of the network of this server. */
function notAllowed(host: string, port: number): string {
  return `${host} port ${port} may not be reached: forwards connect to public addresses on the ports ${[...PORTS].join(', ')}, and to the networks that the operator allows`;
}

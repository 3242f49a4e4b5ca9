/** The client's address of a request that may have come through proxies. */
import { isIP } from 'node:net';

/** Headers of which a proxy adds at least one. */
export const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'] as const;

/**
 * The peer's address, unless the peer is a proxy that the operator declared; then the last address of `X-Forwarded-For`
 * that is not such a proxy. The header of any other peer is ignored, because any client can send one.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  isProxy: (address: string) => boolean,
): string {
  if (forwardedFor === undefined || !isProxy(peer)) return peer;
  let client = peer;
  for (const hop of forwardedFor.split(',').reverse()) {
    const address = hop.trim();
    // Not an address: the request is attributed to the proxy that forwarded it.
    if (isIP(address) === 0) return client;
    client = address;
    if (!isProxy(address)) return client;
  }
  return client;
}

/** Whose request it is, when proxies stand in front. */
import { isIP } from 'node:net';

/**
 * The client's address: that of the peer, unless the peer is a proxy that the operator declared; then the last address of
 * `X-Forwarded-For` that is not such a proxy. The header of any other peer is ignored, because every client can send one.
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
    // The proxy vouches for what it wrote, and this is not an address: the request stays on the proxy's account.
    if (isIP(address) === 0) return client;
    client = address;
    if (!isProxy(address)) return client;
  }
  return client;
}

/** Client and origin of a request that may have come through proxies. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Headers of which a proxy adds at least one. */
export const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'] as const;

/** Whether the operator has declared this address as that of a proxy. */
export type IsProxy = (address: string) => boolean;

/**
 * The peer's address, unless the peer is a proxy that the operator declared; then the last address of `X-Forwarded-For`
 * that is not such a proxy. The header of any other peer is ignored, because any client can send one.
 */
export function clientAddress(peer: string, forwardedFor: string | undefined, isProxy: IsProxy): string {
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

export function addressOf({ socket, headers }: IncomingMessage, isProxy: IsProxy): string {
  return clientAddress(socket.remoteAddress ?? '', headers['x-forwarded-for']?.toString(), isProxy);
}

/** Scheme and host that the client used: of the request, or as a declared proxy forwards them. */
export function originOf({ socket, headers }: IncomingMessage, isProxy: IsProxy): { protocol: string; host: string } {
  const forwarded = (name: string) =>
    isProxy(socket.remoteAddress ?? '') ? headers[name]?.toString().split(',', 1)[0]?.trim() : undefined;
  const protocol = forwarded('x-forwarded-proto') || ('encrypted' in socket ? 'https' : 'http');
  return { protocol, host: forwarded('x-forwarded-host') || (headers.host ?? '') };
}

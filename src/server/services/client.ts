/** The client of an HTTP request, by the settings of the server. */
import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config/settings/schema.js';
import { clientAddress } from '../../lib/client-address.js';

export function addressOf({ trustedProxies }: Config, { socket, headers }: IncomingMessage): string {
  const forwarded = headers['x-forwarded-for']?.toString();
  return clientAddress(socket.remoteAddress ?? '', forwarded, (address) => trustedProxies.includes(address));
}

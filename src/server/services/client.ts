/** The client of an HTTP request, by the settings of the server. */
import type { IncomingMessage } from 'node:http';
import type { Config } from '../../config/settings/schema.js';
import { addressOf as addressBehind } from '../../lib/client-address.js';

export function addressOf({ trustedProxies }: Config, request: IncomingMessage): string {
  return addressBehind(request, (address) => trustedProxies.includes(address));
}

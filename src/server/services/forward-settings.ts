/** Which targets may be added as forwards: none that is this deployment's own ingest, none that may not be reached. */

import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { hostRefusal } from '../../forward/target/addresses.js';
import { isOwnAddress } from '../../lib/public-addresses.js';
import { seal } from '../../lib/vault.js';
import type { ForwardSettings } from '../../ports/index.js';
import { type PublishUrl, parsePublishUrl } from '../../rtmp/publish-url.js';
import type { Shared } from './shared.js';

/** An owner may have the forwards of four broadcasts. */
const BROADCASTS = 4;

type Ports = { readonly rtmpsPort: number; readonly rtmpPort?: number | undefined };

export function forwardSettings({ config, serverKey, urls }: Shared, ports: Ports): ForwardSettings {
  const own = parsePublishUrl(urls.streamUrlBase);
  return {
    isOn: config.forwards,
    perSubject: config.forwardsMax,
    perOwner: config.forwardsMax * BROADCASTS,
    seal: (key) => seal(serverKey, 'forward', key),
    refusal: async (text) => {
      const url = parsePublishUrl(text);
      if (url === undefined || url.path.replace(/\/+$/, '') === '')
        return 'it must be a URL such as rtmps://live.example.com/app, without the stream key and without credentials';
      if (await isOwn(url, own, ports)) return 'it is the ingest of this server itself';
      return hostRefusal({ networks: config.forwardNetworks }, url.host, url.port);
    },
  };
}

/** The published address, or a port of this machine that streams are received on. */
async function isOwn(url: PublishUrl, own: PublishUrl | undefined, ports: Ports): Promise<boolean> {
  const host = url.host.toLowerCase();
  if (host === own?.host.toLowerCase() && url.port === own.port) return true;
  if (url.port !== ports.rtmpsPort && url.port !== ports.rtmpPort) return false;
  const found = isIP(host) === 0 ? await resolved(host) : [{ address: host }];
  const interfaces = Object.values(networkInterfaces()).flat();
  return found.some(({ address }) => isOwnAddress(address, interfaces));
}

/** A name without addresses is refused with each connection. */
function resolved(host: string): Promise<readonly LookupAddress[]> {
  return lookup(host, { all: true }).catch(() => []);
}

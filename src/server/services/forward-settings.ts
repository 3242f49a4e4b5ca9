/** Which targets may be added as forwards: none that is this deployment's own ingest, none that may not be reached. */

import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { hostRefusal } from '../../forward/target/addresses.js';
import { defined } from '../../lib/objects.js';
import { isOwnAddress } from '../../lib/public-addresses.js';
import { seal, unseal } from '../../lib/vault.js';
import { type ForwardData, type ForwardSettings, SYSTEM_EDGES, updateObject } from '../../ports/index.js';
import { type PublishUrl, parsePublishUrl } from '../../rtmp/publish-url.js';
import type { Shared } from './shared.js';

/** An owner may have the forwards of four broadcasts. */
const BROADCASTS = 4;
const PAGE = 500;

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

/** Keys that the previous server key sealed, before it is forgotten. Concurrent starts of several servers are harmless. */
export async function resealForwards({
  store,
  clock,
  serverKey,
  previousKey,
}: Pick<Shared, 'store' | 'clock' | 'serverKey' | 'previousKey'>): Promise<void> {
  if (previousKey === undefined) return;
  const { objects } = store;
  let after: string | undefined;
  do {
    const page = await objects.page(SYSTEM_EDGES.forwards, { limit: PAGE, ...defined({ after }) });
    for (const { member } of page.entries) {
      await updateObject<ForwardData>(objects, clock, member, ({ data }) => {
        if (unseal([serverKey], 'forward', data.sealedKey) !== undefined) return undefined;
        const key = unseal([previousKey.key], 'forward', data.sealedKey);
        return key === undefined ? undefined : { data: { ...data, sealedKey: seal(serverKey, 'forward', key) } };
      });
    }
    after = page.hasNext ? page.entries.at(-1)?.cursor : undefined;
  } while (after !== undefined);
}

/** A name without addresses is refused with each connection. */
function resolved(host: string): Promise<readonly LookupAddress[]> {
  return lookup(host, { all: true }).catch(() => []);
}

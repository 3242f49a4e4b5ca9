/** The registry of servers that share a store: each server stores its address there for each of its processes. */
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { checkServerIdentity, rootCertificates } from 'node:tls';
import type { Config } from '../../config/settings/schema.js';
import type { OtherServers } from '../../playback/context/deps.js';
import { LEASE, type Log, type Store, VOLATILE } from '../../ports/index.js';

const KEPT_MS = 30_000;
/** A process that has just started receives no broadcast yet. */
const AGAIN_MS = 5_000;

/** Announces nothing without an address. Returns the function that stops. */
export function announceServer(
  { store, log, url }: { readonly store: Store; readonly log: Log; readonly url: string | undefined },
  holders: () => readonly string[],
): () => void {
  if (url === undefined) return () => undefined;
  const origin = originOf(url);
  const announce = (): void => {
    for (const holder of holders()) {
      store.volatile.set(VOLATILE.server(holder), origin, KEPT_MS).catch((error: unknown) => {
        log.debug({ error }, 'the address of this server could not be stored');
      });
    }
  };
  announce();
  const timer = setInterval(announce, AGAIN_MS).unref();
  return () => clearInterval(timer);
}

const originOf = (url: string): string => url.replace(/\/+$/, '');

type AddressConfig = Pick<Config, 'internalHttpUrl' | 'publicHost' | 'tlsCert' | 'certsDir'>;

export function otherServers(deps: {
  readonly store: Store;
  readonly log: Log;
  readonly config: AddressConfig;
}): OtherServers {
  const { store, log, config } = deps;
  const own = config.internalHttpUrl === undefined ? undefined : originOf(config.internalHttpUrl);
  return {
    async home(liveVideoId) {
      try {
        const lease = await store.leases.holder(LEASE.publish(liveVideoId));
        if (lease === undefined) return undefined;
        const origin = await store.volatile.get(VOLATILE.server(lease.holder));
        return typeof origin === 'string' && origin !== own ? origin : undefined;
      } catch (error) {
        log.debug({ error, liveVideoId }, 'cannot look up the server that receives a broadcast');
        return undefined;
      }
    },
    tls: trust(config),
  };
}

/** Servers present the certificate of the public name at any address. */
function trust({ publicHost, tlsCert, certsDir }: AddressConfig): OtherServers['tls'] {
  const authority = join(certsDir, 'ca.crt');
  const local = tlsCert === undefined && existsSync(authority) ? [readFileSync(authority, 'latin1')] : [];
  return {
    ...(local.length === 0 ? {} : { ca: [...rootCertificates, ...local] }),
    servername: isIP(publicHost) === 0 ? publicHost : '',
    checkServerIdentity: (_host, certificate) => checkServerIdentity(publicHost, certificate),
  };
}

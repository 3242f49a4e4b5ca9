/** Settings as the supervisor sends them to a role process, which then loads neither the schema nor its library. */
import { parseDiskReserve } from './settings/disk-reserve.js';
import { networkList, targetNetworks } from './settings/networks.js';
import type { Config } from './settings/schema.js';

/** Plain values only: it goes through JSON. */
export type SentSettings = Omit<Config, 'trustedProxies' | 'fetchNetworks' | 'forwardNetworks' | 'diskReserve'> & {
  readonly trustedProxies: readonly string[];
  readonly fetchNetworks: readonly string[];
  readonly forwardNetworks: readonly string[];
  readonly diskReserve: string;
};

export function sentSettings(config: Config): SentSettings {
  return {
    ...config,
    trustedProxies: config.trustedProxies.networks,
    fetchNetworks: config.fetchNetworks.networks,
    forwardNetworks: config.forwardNetworks.networks,
    diskReserve: config.diskReserve.text,
  };
}

/** @throws RangeError for values that `sentSettings` does not make */
export function receivedSettings(sent: SentSettings): Config {
  const diskReserve = parseDiskReserve(sent.diskReserve);
  if (diskReserve === undefined) throw new RangeError(`"${sent.diskReserve}" is no disk reserve`);
  return Object.freeze({
    ...sent,
    trustedProxies: networkList(sent.trustedProxies),
    fetchNetworks: targetNetworks(sent.fetchNetworks),
    forwardNetworks: targetNetworks(sent.forwardNetworks),
    diskReserve,
  });
}

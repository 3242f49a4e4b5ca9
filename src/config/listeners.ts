/** The public listeners of the server. The supervisor listens on all; a process of the role takes the connections. */
import { defined } from '../lib/objects.js';
import type { Config, ConfigKey } from './settings/schema.js';

interface Row {
  readonly name: string;
  /** Names it in the log. */
  readonly protocol: string;
  readonly role: 'ingest' | 'web';
  /** The setting of its port. */
  readonly setting: ConfigKey;
  /** Undefined: it is not opened. */
  readonly port: (config: Config) => number | undefined;
}

/** In the order of opening. */
export const LISTENERS = [
  {
    name: 'rtmps',
    protocol: 'RTMP over TLS',
    role: 'ingest',
    setting: 'rtmpsPort',
    port: ({ rtmpsPort }) => rtmpsPort,
  },
  { name: 'rtmp', protocol: 'RTMP', role: 'ingest', setting: 'rtmpPort', port: ({ rtmpPort }) => rtmpPort },
  { name: 'http', protocol: 'HTTP', role: 'web', setting: 'httpPort', port: ({ httpPort }) => httpPort },
  {
    name: 'acme',
    protocol: 'HTTP, for an ACME authority',
    role: 'web',
    setting: 'acmePort',
    port: ({ acmeDomains, acmePort }) => (acmeDomains.length === 0 ? undefined : acmePort),
  },
] as const satisfies readonly Row[];

export type Listener = (typeof LISTENERS)[number];
export type ListenerName = Listener['name'];

/** A listener without a port is not opened. */
export type ListenerPorts = Readonly<Partial<Record<ListenerName, number>>>;

/** The ports in use. */
export type PublicPorts = Readonly<Record<'rtmpsPort' | 'httpPort', number>> & {
  readonly [Name in ListenerName as `${Name}Port`]?: number | undefined;
};

export function portsOf(config: Config): ListenerPorts {
  return defined(Object.fromEntries(LISTENERS.map(({ name, port }) => [name, port(config)])));
}

/** The public addresses of the server, for encoders, browsers and API clients. */
import { isIPv6 } from 'node:net';
import { isLoopback } from './settings/networks.js';
import type { Config } from './settings/schema.js';

export interface PublicUrls {
  /** `rtmps://host:port/live/`: ends with a slash; the stream key is appended. */
  readonly streamUrlBase: string;
  /** `http://host:port`, without a trailing slash. */
  readonly httpUrl: string;
  readonly dashboardUrl: string;
}

/** `ports`: the bound ports, known only after listening when a setting is 0. */
export function publicUrls(
  config: Pick<Config, 'publicHost' | 'publicRtmpsUrl' | 'publicHttpUrl' | 'https'>,
  ports: { readonly rtmpsPort: number; readonly httpPort: number },
): PublicUrls {
  const host = isIPv6(config.publicHost) ? `[${config.publicHost}]` : config.publicHost;
  const httpUrl = (config.publicHttpUrl ?? `${config.https ? 'https' : 'http'}://${host}:${ports.httpPort}`).replace(
    /\/+$/,
    '',
  );
  return {
    streamUrlBase: streamUrlBase(config.publicRtmpsUrl ?? `rtmps://${host}:${ports.rtmpsPort}`),
    httpUrl,
    dashboardUrl: `${httpUrl}/dashboard/`,
  };
}

type Published = Pick<Config, 'rtmpsPort' | 'httpPort'> & Parameters<typeof publicUrls>[0];
type Reached = Published & Pick<Config, 'host'>;

/** Whether programs of other machines reach this server, directly or through a proxy. */
export function servesOthers(config: Reached): boolean {
  return !isLoopback(config.host) || isPublic(publicUrls(config, config).httpUrl);
}

/** Whether addresses are published for other machines while it listens on loopback, where only a proxy could reach it. */
export function isOutOfReach(config: Reached & Pick<Config, 'trustedProxies'>): boolean {
  return hasPublicUrl(config) && isLoopback(config.host) && config.trustedProxies.networks.length === 0;
}

/** Whether requests may come through a proxy, which can run on this machine and add no header. */
export function mayBeProxied(config: Published & Pick<Config, 'trustedProxies' | 'proxyProtocol'>): boolean {
  return hasPublicUrl(config) || config.proxyProtocol || config.trustedProxies.networks.length > 0;
}

function hasPublicUrl(config: Published): boolean {
  const { streamUrlBase, httpUrl } = publicUrls(config, config);
  return isPublic(streamUrlBase) || isPublic(httpUrl);
}

const isPublic = (url: string): boolean => !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));

/** Appends `/live/` to an address without an application name, which several encoders require. */
function streamUrlBase(url: string): string {
  const withSlash = url.endsWith('/') ? url : `${url}/`;
  return new URL(withSlash).pathname.length > 1 ? withSlash : `${withSlash}live/`;
}

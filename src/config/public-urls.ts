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

/** Whether programs of other machines reach this server, directly or through a proxy. */
export function servesOthers(
  config: Pick<Config, 'host' | 'rtmpsPort' | 'httpPort'> & Parameters<typeof publicUrls>[0],
): boolean {
  const { hostname } = new URL(publicUrls(config, config).httpUrl);
  return !isLoopback(config.host) || !isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

/** Appends `/live/` to an address without an application name, which several encoders require. */
function streamUrlBase(url: string): string {
  const withSlash = url.endsWith('/') ? url : `${url}/`;
  return new URL(withSlash).pathname.length > 1 ? withSlash : `${withSlash}live/`;
}

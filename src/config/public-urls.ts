/** The addresses that are given to people and programs outside. */
import { isIPv6 } from 'node:net';
import type { Config } from './schema.js';

export interface PublicUrls {
  /** `rtmps://host:port/live/`: ends in a slash; the stream key is appended. */
  readonly streamUrlBase: string;
  /** `http://host:port`, without a slash at the end. */
  readonly httpUrl: string;
  readonly dashboardUrl: string;
}

/** `ports`: those really in use, which port 0 tells only after listening. */
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

/** An address without an application name gets `/live/`: several encoders need one. */
function streamUrlBase(url: string): string {
  const withSlash = url.endsWith('/') ? url : `${url}/`;
  return new URL(withSlash).pathname.length > 1 ? withSlash : `${withSlash}live/`;
}

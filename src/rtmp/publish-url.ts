/** The URL that an encoder publishes to: `rtmps://host[:port]/app`, with the key after it or beside it. */

export interface PublishUrl {
  readonly isSecure: boolean;
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  /** The host with the brackets of an IPv6 address. */
  readonly shownHost: string;
  readonly port: number;
  /** All after the host, without the first slash, with a query. */
  readonly path: string;
}

const DEFAULT_PORTS = { rtmps: 443, rtmp: 1935 } as const;

/** Undefined for another text, also for one with credentials. */
export function parsePublishUrl(text: string): PublishUrl | undefined {
  const match = /^(rtmps?):\/\/(\[[0-9a-f:.]+\]|[^/:@?#\s[\]]+)(?::(\d{1,5}))?(?:\/([^\s#]*))?$/i.exec(text);
  if (match === null) return undefined;
  const [, schemeText = '', shownHost = '', portText, path = ''] = match;
  const scheme = schemeText.toLowerCase() === 'rtmps' ? 'rtmps' : 'rtmp';
  const port = portText === undefined ? DEFAULT_PORTS[scheme] : Number(portText);
  if (port === 0 || port > 65_535) return undefined;
  return { isSecure: scheme === 'rtmps', host: shownHost.replace(/^\[(.*)\]$/, '$1'), shownHost, port, path };
}

/** Settings of how much clients may use and reach, and of the proxies in front of them; part of the schema. */
import { ON_OFF, settingMeta } from './setting-meta.js';
import { integer, networks, onOff, targets, text } from './values.js';

export const accessSettings = {
  maxConnections: integer(1, 1_000_000).default(2000).register(settingMeta, {
    env: 'AIRLOCK_MAX_CONNECTIONS',
    shown: '2000',
    placeholder: 'N',
    summary: 'Concurrent RTMP connections per process.',
  }),
  readIntervalMs: integer(0, 200).default(100).register(settingMeta, {
    env: 'AIRLOCK_READ_INTERVAL_MS',
    shown: '100',
    placeholder: 'MS',
    summary:
      'Between two reads of a stream that is older than 10 s and arrives evenly: saves processor time; 0: all streams are read as they arrive.',
  }),
  ownerMaxPublishers: integer(0, 1_000_000).default(500).register(settingMeta, {
    env: 'AIRLOCK_OWNER_MAX_PUBLISHERS',
    shown: '500',
    placeholder: 'N',
    summary: 'Concurrent streams per owner, including previews and preflights; 0 for no limit.',
  }),
  ownerMaxObjects: integer(0, 1_000_000_000).default(100_000).register(settingMeta, {
    env: 'AIRLOCK_OWNER_MAX_OBJECTS',
    shown: '100000',
    placeholder: 'N',
    summary: 'Live videos and videos per owner; 0 for no limit.',
  }),
  ownerMaxBytes: integer(0, Number.MAX_SAFE_INTEGER).default(0).register(settingMeta, {
    env: 'AIRLOCK_OWNER_MAX_BYTES',
    shown: '0',
    placeholder: 'BYTES',
    summary: 'Bytes of uploads and recordings per owner; 0 for no limit.',
  }),
  proxyProtocol: onOff().default(false).register(settingMeta, {
    env: 'AIRLOCK_PROXY_PROTOCOL',
    shown: 'off',
    placeholder: ON_OFF,
    summary: 'Require a PROXY protocol header (v1 or v2) from the trusted proxies.',
  }),
  trustedProxies: networks().default(networks().parse([])).register(settingMeta, {
    env: 'AIRLOCK_TRUSTED_PROXIES',
    shown: 'none',
    placeholder: 'CIDR,…',
    summary: 'Networks whose PROXY header or X-Forwarded-For is accepted as the client address.',
  }),
  tlsInFront: onOff().default(false).register(settingMeta, {
    env: 'AIRLOCK_TLS_IN_FRONT',
    shown: 'off',
    placeholder: ON_OFF,
    summary: 'Trusted proxies terminate TLS: their streams on the plain port count as RTMPS.',
  }),
  fetchNetworks: targets().default(targets().parse([])).register(settingMeta, {
    env: 'AIRLOCK_FETCH_NETWORKS',
    shown: 'none',
    placeholder: 'CIDR[:PORTS],…',
    summary:
      'Networks beside public addresses from which file_url may fetch: 10.0.0.0/8 (ports 80, 443, 8080, 8443), 10.0.0.7:9000, 10.0.0.0/8:8000-8999, [fd00::/8]:8443.',
  }),
  forwards: onOff().default(true).register(settingMeta, {
    env: 'AIRLOCK_FORWARDS',
    shown: 'on',
    placeholder: ON_OFF,
    summary: 'Pass broadcasts on to the targets of their forwards.',
  }),
  forwardNetworks: targets().default(targets().parse([])).register(settingMeta, {
    env: 'AIRLOCK_FORWARD_NETWORKS',
    shown: 'none',
    placeholder: 'CIDR[:PORTS],…',
    summary:
      'Networks beside public addresses that forwards may reach: 10.0.0.0/8 (ports 80, 443, 1935, 1936, 19350), 10.0.0.7:1940, 10.0.0.0/8:1935-1999, [fd00::/8]:1935.',
  }),
  forwardCa: text('a path').optional().register(settingMeta, {
    env: 'AIRLOCK_FORWARD_CA',
    shown: "unset: the system's authorities",
    placeholder: 'FILE',
    summary: 'PEM file of authorities that are trusted for targets of forwards, beside those of the system.',
  }),
  forwardsMax: integer(0, 1_000).default(5).register(settingMeta, {
    env: 'AIRLOCK_FORWARDS_MAX',
    shown: '5',
    placeholder: 'N',
    summary: 'Forwards per broadcast; an owner may have four times as many.',
  }),
};

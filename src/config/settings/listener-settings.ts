/** Settings of the listeners and of the addresses that are published; part of the schema. */
import { settingMeta } from './setting-meta.js';
import { host, port, portOrOff, url } from './values.js';

export const listenerSettings = {
  rtmpsPort: port().default(1936).register(settingMeta, {
    env: 'AIRLOCK_RTMPS_PORT',
    shown: '1936',
    placeholder: 'PORT',
    summary: 'Port of the RTMPS listener; 0 picks a free one.',
  }),
  rtmpPort: portOrOff().optional().register(settingMeta, {
    env: 'AIRLOCK_RTMP_PORT',
    shown: 'off',
    placeholder: 'PORT|off',
    summary:
      'Port of a listener for plain RTMP. Its streams are reported as not encrypted unless a proxy terminates TLS in front of it.',
  }),
  httpPort: port().default(8080).register(settingMeta, {
    env: 'AIRLOCK_HTTP_PORT',
    shown: '8080',
    placeholder: 'PORT',
    summary: 'Port of the HTTP interface and the dashboard; 0 picks a free one.',
  }),
  probePort: portOrOff().optional().register(settingMeta, {
    env: 'AIRLOCK_PROBE_PORT',
    shown: 'off',
    placeholder: 'PORT|off',
    summary: 'Port of its own for /healthz, /readyz and /metrics, so that probes do not share the HTTP port.',
  }),
  probeHost: host().default('127.0.0.1').register(settingMeta, {
    env: 'AIRLOCK_PROBE_HOST',
    shown: '127.0.0.1',
    placeholder: 'HOST',
    summary: 'Address that the probe port binds to: 0.0.0.0 in a container, whose probes come from outside.',
  }),
  host: host().optional().register(settingMeta, {
    env: 'AIRLOCK_HOST',
    shown: '127.0.0.1 with quickstart, else 0.0.0.0',
    placeholder: 'HOST',
    summary: 'Address that the listeners bind to.',
  }),
  publicHost: host().default('localhost').register(settingMeta, {
    env: 'AIRLOCK_PUBLIC_HOST',
    shown: 'localhost',
    placeholder: 'HOST',
    summary: 'Host name that encoders and browsers use; part of the certificate and of all published URLs.',
  }),
  publicRtmpsUrl: url('rtmps', 'rtmp').optional().register(settingMeta, {
    env: 'AIRLOCK_PUBLIC_RTMPS_URL',
    shown: 'rtmps://<public host>:<RTMPS port>/live/',
    placeholder: 'URL',
    summary: 'Stream URL for encoders, if a load balancer or another port is in front of the server.',
  }),
  publicHttpUrl: url('http', 'https').optional().register(settingMeta, {
    env: 'AIRLOCK_PUBLIC_HTTP_URL',
    shown: 'http(s)://<public host>:<HTTP port>',
    placeholder: 'URL',
    summary: 'HTTP address in published links, if a load balancer or another port is in front of the server.',
  }),
  internalHttpUrl: url('http', 'https').optional().register(settingMeta, {
    env: 'AIRLOCK_INTERNAL_HTTP_URL',
    shown: 'unset: broadcasts received here can be watched only here',
    placeholder: 'URL',
    summary: 'HTTP address at which other servers on the same Redis reach this one to relay playback from it.',
  }),
};

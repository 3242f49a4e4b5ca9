// For the container's health check: whether the server runs. The probe port answers even while the HTTP port is overloaded.
// The certificate of the HTTP port is not checked.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const { AIRLOCK_PROBE_PORT, AIRLOCK_PROBE_HOST = '', AIRLOCK_HTTP_PORT, AIRLOCK_HTTPS } = process.env;
const scheme = ['on', 'true', '1', 'yes'].includes((AIRLOCK_HTTPS ?? '').toLowerCase()) ? 'https' : 'http';
// A wildcard address includes loopback.
const probeHost = ['', '0.0.0.0', '::'].includes(AIRLOCK_PROBE_HOST) ? '127.0.0.1' : AIRLOCK_PROBE_HOST;
const origin = AIRLOCK_PROBE_PORT
  ? `http://${probeHost.includes(':') ? `[${probeHost}]` : probeHost}:${AIRLOCK_PROBE_PORT}`
  : `${scheme}://127.0.0.1:${AIRLOCK_HTTP_PORT || 8080}`;
const answer = await fetch(`${origin}/healthz`).catch(() => undefined);
process.exit(answer?.ok ? 0 : 1);

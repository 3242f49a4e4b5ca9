// For the container's health check: whether the server runs. The probe port answers even while the HTTP port is overloaded.
// The certificate of the HTTP port is not checked.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const { AIRLOCK_PROBE_PORT = '', AIRLOCK_PROBE_HOST, AIRLOCK_HTTP_PORT, AIRLOCK_HOST, AIRLOCK_HTTPS } = process.env;
const scheme = ['on', 'true', '1', 'yes'].includes((AIRLOCK_HTTPS ?? '').toLowerCase()) ? 'https' : 'http';
// Addresses may stand in brackets; the wildcard ones include loopback.
function reached(host = '') {
  const address = host.trim().replace(/^\[(.*)\]$/, '$1');
  if (['', '0.0.0.0', '::'].includes(address)) return '127.0.0.1';
  return address.includes(':') ? `[${address}]` : address;
}
const origin = ['', 'off'].includes(AIRLOCK_PROBE_PORT)
  ? `${scheme}://${reached(AIRLOCK_HOST)}:${AIRLOCK_HTTP_PORT || 8080}`
  : `http://${reached(AIRLOCK_PROBE_HOST)}:${AIRLOCK_PROBE_PORT}`;
const answer = await fetch(`${origin}/healthz`).catch(() => undefined);
process.exit(answer?.ok ? 0 : 1);

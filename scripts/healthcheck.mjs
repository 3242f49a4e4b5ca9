// For the container's health check: the server answers on its own HTTP port. The certificate is not checked.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const scheme = ['on', 'true', '1', 'yes'].includes((process.env.AIRLOCK_HTTPS ?? '').toLowerCase()) ? 'https' : 'http';
const answer = await fetch(`${scheme}://127.0.0.1:${process.env.AIRLOCK_HTTP_PORT || 8080}/healthz`).catch(
  () => undefined,
);
process.exit(answer?.ok ? 0 : 1);

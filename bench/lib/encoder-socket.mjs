// The TLS connection of an encoder in a load: the same cipher for every server, whichever it would choose.
import { connect } from 'node:tls';

export function connectEncoder(port) {
  const socket = connect({
    port,
    host: '127.0.0.1',
    servername: 'localhost',
    rejectUnauthorized: false,
    maxVersion: 'TLSv1.2',
    ciphers: 'ECDHE-RSA-AES128-GCM-SHA256',
  });
  socket.setNoDelay(true);
  return socket;
}

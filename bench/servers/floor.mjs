// The floor: bare Node TLS that throws the bytes away.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:tls';

const [cert, key] = process.argv.slice(2, 4).map((file) => readFileSync(file));
const server = createServer({ cert, key, maxVersion: 'TLSv1.2' }, (socket) => {
  socket.on('data', () => undefined);
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => process.send({ ports: { rtmps: server.address().port } }));

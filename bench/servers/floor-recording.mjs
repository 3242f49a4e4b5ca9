// The floor of recording: bare Node TLS that writes what it decrypts to one file per connection.
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:tls';

const [cert, key] = process.argv.slice(2, 4).map((file) => readFileSync(file));
const folder = process.argv[4];
let connections = 0;
const server = createServer({ cert, key, maxVersion: 'TLSv1.2' }, (socket) => {
  connections += 1;
  socket.on('error', () => socket.destroy());
  socket.pipe(createWriteStream(join(folder, `${connections}.bin`)));
});
server.listen(0, '127.0.0.1', () => process.send({ ports: { rtmps: server.address().port } }));

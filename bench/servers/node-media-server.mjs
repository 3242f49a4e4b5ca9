// The peer that this project uses for playback, as an ingest server.
import { createServer } from 'node:net';
import NodeMediaServer from 'node-media-server';

const [cert, key] = process.argv.slice(2);
const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
const rtmps = await freePort();
const server = new NodeMediaServer({
  bind: '127.0.0.1',
  rtmp: { port: await freePort() },
  rtmps: { port: rtmps, key, cert },
});
server.run();
setTimeout(() => process.send?.({ port: rtmps }), 500);

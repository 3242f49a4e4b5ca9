// The peer that this project uses for playback, as an ingest server.
import NodeMediaServer from 'node-media-server';
import { freePort, untilListening } from '../lib/processes.mjs';

const [cert, key] = process.argv.slice(2);
const rtmps = await freePort();
const http = await freePort();
const server = new NodeMediaServer({
  bind: '127.0.0.1',
  rtmp: { port: await freePort() },
  rtmps: { port: rtmps, key, cert },
  http: { port: http },
});
server.run();
for (const port of [rtmps, http]) await untilListening(port, process);
process.send({ ports: { rtmps, http } });

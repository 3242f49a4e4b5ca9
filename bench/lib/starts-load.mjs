// A process of its own: encoders over TLS that all connect at once, publish, and send their headers and first frames. The message
// `start` holds port and keys (absent: the number `count` of handshakes without RTMP); `started` answers it once each was accepted
// and has sent. `cut` closes the connections.
import { connectEncoder } from './encoder-socket.mjs';
import { content } from './flv.mjs';
import { C0C1, HANDSHAKE_REPLY_BYTES, message, publishBurst } from './rtmp-bytes.mjs';

process.once('disconnect', () => process.exit());

const CHUNK = 4096;
const tags = content(process.argv[2]);
const firstOf = (typeId) => tags.find((tag) => !tag.header && tag.typeId === typeId);
/** As an encoder starts: the headers, a key frame and one frame of sound. */
const first = [...tags.filter((tag) => tag.header), firstOf(9), firstOf(8)];
const firstBytes = Buffer.concat(
  first.map(({ typeId, payload }) =>
    message({ csid: typeId === 8 ? 4 : 6, typeId, streamId: 1, timestampMs: 0, payload, chunkSize: CHUNK }),
  ),
);

function start(port, key) {
  return new Promise((resolve, reject) => {
    const socket = connectEncoder(port);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server closed a connection')));
    let received = Buffer.alloc(0);
    let isGreeted = false;
    let isAccepted = false;
    const accepted = () => {
      isAccepted = true;
      socket.write(firstBytes, () => resolve(socket));
    };
    socket.once('secureConnect', () => {
      if (key === undefined) accepted();
      else socket.write(C0C1);
    });
    socket.on('data', (bytes) => {
      if (isAccepted) return;
      received = Buffer.concat([received, bytes]);
      if (!isGreeted && received.length >= HANDSHAKE_REPLY_BYTES) {
        isGreeted = true;
        socket.write(publishBurst(received, 'live', key, CHUNK));
      }
      if (received.includes('NetStream.Publish.Start')) accepted();
      else if (/NetStream\.Publish\.(?:BadName|Denied|Rejected)/.test(received.toString('latin1')))
        reject(new Error('the server refused a key'));
    });
  });
}

let sockets = [];
process.on('message', async ({ start: asked, cut }) => {
  if (cut) {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    process.send({ cut: true });
    return;
  }
  const { port, keys, count } = asked;
  const startedAt = performance.now();
  sockets = await Promise.all((keys ?? Array.from({ length: count })).map((key) => start(port, key)));
  process.send({ started: { ms: performance.now() - startedAt, messages: first.length } });
});
process.send({ ready: true });

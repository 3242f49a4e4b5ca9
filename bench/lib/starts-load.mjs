// A process of its own: encoders over TLS that all connect at once, publish, and each send some seconds of media in real time from
// when it was accepted. The message `start` holds port and keys (absent: the number `count` of connections without RTMP, which send the
// same media); `started` answers it once each was accepted, `sent` follows once each has sent its media. `cut` closes the connections as
// an encoder does that is killed.
import { connectEncoder } from './encoder-socket.mjs';
import { content } from './flv.mjs';
import { C0C1, HANDSHAKE_REPLY_BYTES, message, publishBurst } from './rtmp-bytes.mjs';

process.once('disconnect', () => process.exit());

const CHUNK = 4096;
/** As the loads of `publishers.mjs` have it. */
const RECORD_BYTES = 4096;
const TICK_MS = 5;

const [profile, seconds] = [process.argv[2], Number(process.argv[3])];
const tags = content(profile);
const bytesOf = ({ typeId, timestampMs, payload }) =>
  message({ csid: typeId === 8 ? 4 : 6, typeId, streamId: 1, timestampMs, payload, chunkSize: CHUNK });
const headers = Buffer.concat(tags.filter((tag) => tag.header).map((tag) => bytesOf({ ...tag, timestampMs: 0 })));
/** Made once: the media of all publishers is the same. */
const media = tags
  .filter((tag) => !tag.header && tag.timestampMs < seconds * 1000)
  .sort((a, b) => a.timestampMs - b.timestampMs)
  .map((tag) => ({ atMs: tag.timestampMs, bytes: bytesOf(tag) }));

function accepted(port, key) {
  return new Promise((resolve, reject) => {
    const socket = connectEncoder(port);
    socket.setMaxSendFragment(RECORD_BYTES);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the server closed a connection')));
    let received = Buffer.alloc(0);
    let isGreeted = false;
    const done = () => {
      socket.removeAllListeners('data');
      socket.resume();
      resolve(socket);
    };
    socket.once('secureConnect', () => {
      if (key === undefined) done();
      else socket.write(C0C1);
    });
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes]);
      if (!isGreeted && received.length >= HANDSHAKE_REPLY_BYTES) {
        isGreeted = true;
        socket.write(publishBurst(received, 'live', key, CHUNK));
      }
      if (received.includes('NetStream.Publish.Start')) done();
      else if (/NetStream\.Publish\.(?:BadName|Denied|Rejected)/.test(received.toString('latin1')))
        reject(new Error('the server refused a key'));
    });
  });
}

/** Resolves once all of `streams`, which grows as publishers are accepted, up to `count`, have sent what they have. */
const sendInRealTime = (streams, count) =>
  new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      let done = 0;
      for (const stream of streams) {
        while (stream.next < media.length && media[stream.next].atMs <= now - stream.startedAt) {
          stream.socket.write(media[stream.next].bytes);
          stream.next += 1;
        }
        if (stream.next === media.length && now - stream.startedAt >= seconds * 1000) done += 1;
      }
      if (done < count) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });

let sockets = [];

async function start({ port, keys, count }) {
  const names = keys ?? Array.from({ length: count });
  const startedAt = performance.now();
  const streams = [];
  const all = names.map(async (key) => {
    const socket = await accepted(port, key);
    socket.write(headers);
    streams.push({ socket, startedAt: performance.now(), next: 0 });
    return socket;
  });
  const sent = sendInRealTime(streams, names.length);
  sockets = await Promise.all(all);
  process.send({ started: { ms: performance.now() - startedAt } });
  await sent;
  process.send({ sent: true });
}

process.on('message', ({ start: asked, cut }) => {
  if (asked) return start(asked);
  if (!cut) return;
  for (const socket of sockets) socket.destroy();
  sockets = [];
  process.send({ cut: true });
});
process.send({ ready: true });

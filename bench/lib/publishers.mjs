// A process of its own: N publishers over TLS, paced in real time or as fast as the server reads.
// argv: port, file with one key a line (or `blind`), publishers, seconds, mode paced|flood, record size
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { content } from './flv.mjs';
import { C0C1, HANDSHAKE_REPLY_BYTES, message, publishBurst } from './rtmp-bytes.mjs';

const [port, keyFile, count, seconds, mode, recordBytes] = process.argv.slice(2);
const CHUNK = 4096;
const all = content();
const headers = all.filter((tag) => tag.header);
const media = all.filter((tag) => !tag.header).sort((a, b) => a.timestampMs - b.timestampMs);
const PERIOD_MS = 4000;
const keys = keyFile === 'blind' ? undefined : readFileSync(keyFile, 'utf8').trim().split('\n');

const bytesOf = (tag, timestampMs) =>
  message({
    csid: tag.typeId === 8 ? 4 : 6,
    typeId: tag.typeId,
    streamId: 1,
    timestampMs,
    payload: tag.payload,
    chunkSize: CHUNK,
  });
const headerBytes = Buffer.concat(headers.map((tag) => bytesOf(tag, 0)));

let sent = 0;
function open(index) {
  return new Promise((resolve, reject) => {
    const socket = connect({
      port: Number(port),
      host: '127.0.0.1',
      servername: 'localhost',
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.2',
    });
    socket.setMaxSendFragment(Number(recordBytes));
    socket.on('error', reject);
    socket.setNoDelay(true);
    const started = () => {
      socket.removeAllListeners('data');
      socket.resume();
      socket.write(headerBytes);
      resolve(socket);
    };
    socket.once('secureConnect', () => {
      if (keys === undefined) return started();
      let received = Buffer.alloc(0);
      let greeted = false;
      socket.write(C0C1);
      socket.on('data', (bytes) => {
        received = Buffer.concat([received, bytes]);
        if (!greeted && received.length >= HANDSHAKE_REPLY_BYTES) {
          greeted = true;
          socket.write(publishBurst(received, 'live', keys[index % keys.length], CHUNK));
        }
        if (received.includes('NetStream.Publish.Start')) started();
        else if (received.includes('NetStream.Publish.BadName')) reject(new Error('the server refused the key'));
      });
    });
  });
}

const sockets = [];
for (let i = 0; i < Number(count); i++) sockets.push(await open(i));
process.send?.({ ready: sockets.length });

await new Promise((resolve) => process.once('message', resolve));
const startedAt = performance.now();
const endsAt = startedAt + Number(seconds) * 1000;

function* timeline() {
  for (let loop = 0; ; loop++) for (const tag of media) yield { tag, atMs: loop * PERIOD_MS + tag.timestampMs };
}

if (mode === 'paced') {
  const line = timeline();
  let next = line.next().value;
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      while (next.atMs <= now - startedAt) {
        const bytes = bytesOf(next.tag, next.atMs);
        for (const socket of sockets) socket.write(bytes);
        sent += bytes.length * sockets.length;
        next = line.next().value;
      }
      if (now >= endsAt) {
        clearInterval(timer);
        resolve();
      }
    }, 5);
  });
} else {
  await Promise.all(
    sockets.map(async (socket) => {
      for (const { tag, atMs } of timeline()) {
        if (performance.now() >= endsAt) return;
        const bytes = bytesOf(tag, atMs);
        sent += bytes.length;
        if (!socket.write(bytes)) await new Promise((resolve) => socket.once('drain', resolve));
      }
    }),
  );
}
process.send?.({ sent, elapsedMs: performance.now() - startedAt });
for (const socket of sockets) socket.destroy();
process.disconnect?.();

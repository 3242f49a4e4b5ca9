// A process of its own: encoders over TLS that come back by themselves whenever their connection ends. Takes one argument as
// JSON: port, keys, profile. The message `count` begins a round; `all` answers it once each encoder was accepted in it.
import { connect } from 'node:tls';
import { content } from './flv.mjs';
import { C0C1, HANDSHAKE_REPLY_BYTES, message, publishBurst } from './rtmp-bytes.mjs';

process.once('disconnect', () => process.exit());

const { port, keys, profile } = JSON.parse(process.argv[2]);
const CHUNK = 4096;
/** Encoders return at once, and then try again after this time and up to half of it more. */
const RETRY_MS = 500;
/** As an encoder starts: the headers, a key frame and one frame of sound. */
const tags = content(profile);
const firstOf = (typeId) => tags.find((tag) => !tag.header && tag.typeId === typeId);
const start = [...tags.filter((tag) => tag.header), firstOf(9), firstOf(8)];
const startBytes = Buffer.concat(
  start.map(({ typeId, payload }) =>
    message({ csid: typeId === 8 ? 4 : 6, typeId, streamId: 1, timestampMs: 0, payload, chunkSize: CHUNK }),
  ),
);

/** An encoder that waits for the others acknowledges bytes, so that it does not count as gone (30 s of silence). */
const ALIVE_MS = 10_000;
const acknowledgement = message({
  csid: 2,
  typeId: 3,
  streamId: 0,
  timestampMs: 0,
  payload: Buffer.alloc(4),
  chunkSize: CHUNK,
});

let round;
function beginRound() {
  round = { accepted: new Map(), tries: 0, failures: {}, cpu: process.cpuUsage() };
}
beginRound();

function count(what) {
  round.failures[what] = (round.failures[what] ?? 0) + 1;
}

function accepted(index) {
  round.accepted.set(index, Date.now());
  if (round.accepted.size < keys.length) return;
  const { user, system } = process.cpuUsage(round.cpu);
  const { tries, failures } = round;
  const atMs = [...round.accepted.values()];
  process.send({ all: { atMs, tries, failures, cpuSeconds: (user + system) / 1e6, messages: start.length } });
}

function publish(index) {
  round.tries += 1;
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false });
  socket.setNoDelay(true);
  let received = Buffer.alloc(0);
  let greeted = false;
  let isPublishing = false;
  socket.on('error', (error) => {
    if (!isPublishing) count(error.code ?? error.message);
  });
  let alive;
  socket.once('close', () => {
    clearInterval(alive);
    if (isPublishing) publish(index);
    else setTimeout(publish, RETRY_MS * (1 + Math.random() / 2), index);
  });
  socket.once('secureConnect', () => socket.write(C0C1));
  socket.on('data', (bytes) => {
    if (isPublishing) return;
    received = Buffer.concat([received, bytes]);
    if (!greeted && received.length >= HANDSHAKE_REPLY_BYTES) {
      greeted = true;
      socket.write(publishBurst(received, 'live', keys[index], CHUNK));
    }
    const refusal = /NetStream\.Publish\.(?:BadName|Denied|Rejected)|NetConnection\.Connect\.Rejected/.exec(
      received.toString('latin1'),
    );
    if (refusal !== null) {
      count(refusal[0]);
      socket.destroy();
    } else if (received.includes('NetStream.Publish.Start')) {
      isPublishing = true;
      received = Buffer.alloc(0);
      socket.write(startBytes);
      alive = setInterval(() => socket.write(acknowledgement), ALIVE_MS);
      accepted(index);
    }
  });
}

process.on('message', ({ count: isCount }) => {
  if (isCount) beginRound();
});
// The first time they come one after the other.
let next = 0;
const coming = setInterval(() => {
  if (next < keys.length) publish(next++);
  else clearInterval(coming);
}, 10);

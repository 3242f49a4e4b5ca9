// A process of its own: publishers over TLS, paced in real time or as fast as the server reads. Takes one argument, a
// load as JSON: port, keys (absent: bytes without RTMP), publishers, mode paced|flood, seconds, warmupSeconds,
// recordBytes, profile, phases. Says `ready`, waits for `go`, says `counting` after the warm-up and `done` at the end.
// With isInTurns it waits for { seconds } after `ready` instead, floods for so long, says `turn`, and waits for the next.
import { once } from 'node:events';
import { connectEncoder } from './encoder-socket.mjs';
import { content, PERIOD_MS } from './flv.mjs';
import { C0C1, HANDSHAKE_REPLY_BYTES, message, publishBurst } from './rtmp-bytes.mjs';

// The parent that reads the results has exited.
process.once('disconnect', () => process.exit());

const { port, keys, publishers, mode, seconds, warmupSeconds, recordBytes, profile, phases, isInTurns } = JSON.parse(
  process.argv[2],
);
const CHUNK = 4096;
const CONNECTING_AT_ONCE = 20;
const TICK_MS = 5;
/** Publishers of different phases have their key frames at different times, like independent encoders. */
const GROUP_OFFSET_MS = 2000;

const all = content(profile);
const headers = all.filter((tag) => tag.header);
const media = all.filter((tag) => !tag.header).sort((a, b) => a.timestampMs - b.timestampMs);

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

let lost = 0;
let sent = 0;

function open(index) {
  return new Promise((resolve, reject) => {
    const socket = connectEncoder(port);
    socket.setMaxSendFragment(recordBytes);
    socket.on('error', reject);
    socket.once('close', () => {
      lost += 1;
      reject(new Error(`the server closed connection ${index}`));
    });
    const started = () => {
      socket.removeAllListeners('data');
      socket.resume();
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
          socket.write(publishBurst(received, 'live', keys[index], CHUNK));
        }
        if (received.includes('NetStream.Publish.Start')) started();
        else if (received.includes('NetStream.Publish.BadName')) reject(new Error('the server refused the key'));
      });
    });
  });
}

const sockets = [];
while (sockets.length < publishers) {
  const next = Array.from({ length: Math.min(CONNECTING_AT_ONCE, publishers - sockets.length) }, (_, i) =>
    open(sockets.length + i),
  );
  sockets.push(...(await Promise.all(next)));
}
process.send({ ready: sockets.length });
const [asked] = await once(process, 'message');
for (const socket of sockets) socket.write(headerBytes);

const startedAt = performance.now();
const countsAt = startedAt + warmupSeconds * 1000;
const endsAt = countsAt + seconds * 1000;
/** Milliseconds between when a message was due and when it was written, in bins of one; the last takes all above. */
const lateness = new Uint32Array(2001);
let counting;

function* timeline() {
  for (let loop = 0; ; loop++) for (const tag of media) yield { tag, atMs: loop * PERIOD_MS + tag.timestampMs };
}

/** What the sockets took and still hold; the rest is with the system. */
const waiting = () => sockets.reduce((sum, socket) => sum + socket.writableLength, 0);

function begin() {
  lateness.fill(0);
  counting = { at: performance.now(), bytes: sent - waiting(), planned: sent, cpu: process.cpuUsage() };
  process.send({ counting: true });
}

function write(socket, bytes) {
  if (socket.destroyed) return true;
  sent += bytes.length;
  return socket.write(bytes);
}

async function paced() {
  const groups = Array.from({ length: Math.min(phases, sockets.length) }, (_, group, of = phases) => {
    const line = timeline();
    const members = sockets.filter((_, i) => i % of === group);
    return { members, line, next: line.next().value, offsetMs: (group * GROUP_OFFSET_MS) / of };
  });
  await new Promise((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now();
      if (counting === undefined && now >= countsAt) begin();
      for (const group of groups) {
        const elapsedMs = now - startedAt - group.offsetMs;
        while (group.next.atMs <= elapsedMs) {
          const bytes = bytesOf(group.next.tag, group.next.atMs);
          for (const socket of group.members) write(socket, bytes);
          const lateMs = performance.now() - startedAt - group.offsetMs - group.next.atMs;
          lateness[Math.min(lateness.length - 1, Math.floor(lateMs))] += 1;
          group.next = group.line.next().value;
        }
      }
      if (now < endsAt) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
}

const timelines = sockets.map(timeline);
const nextBytes = (index) => {
  const { tag, atMs } = timelines[index].next().value;
  return bytesOf(tag, atMs);
};

/** As fast as the server reads, until the time `endMs`; goes on where it last ended. */
const flood = (endMs) =>
  Promise.all(
    sockets.map(async (socket, i) => {
      while (performance.now() < endMs && !socket.destroyed)
        if (!write(socket, nextBytes(i))) await new Promise((resolve) => socket.once('drain', resolve));
    }),
  );

/** With one message more, as there is no event for it. */
const flushed = (socket, index) =>
  new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const bytes = nextBytes(index);
    sent += bytes.length;
    socket.write(bytes, resolve);
  });

/** What is sent within a turn has left when it ends. */
async function turn({ seconds }) {
  const first = { at: performance.now(), bytes: sent, cpu: process.cpuUsage() };
  await flood(first.at + seconds * 1000);
  await Promise.all(sockets.map(flushed));
  const elapsedMs = performance.now() - first.at;
  const cpu = process.cpuUsage(first.cpu);
  const bytes = sent - first.bytes;
  const cores = (cpu.user + cpu.system) / 1000 / elapsedMs;
  process.send({ turn: { bytes, plannedBytes: bytes, elapsedMs, cores, lost } });
}

function latenessAt(share) {
  const total = lateness.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  return lateness.findIndex((count) => {
    seen += count;
    return seen >= total * share;
  });
}

for (let next = asked; isInTurns; [next] = await once(process, 'message')) await turn(next);

const timer = mode === 'flood' ? setTimeout(begin, warmupSeconds * 1000) : undefined;
await (mode === 'paced' ? paced() : flood(endsAt));
clearTimeout(timer);
const elapsedMs = performance.now() - counting.at;
const cpu = process.cpuUsage(counting.cpu);
const done = {
  bytes: sent - waiting() - counting.bytes,
  plannedBytes: sent - counting.planned,
  elapsedMs,
  lateP99Ms: mode === 'paced' ? latenessAt(0.99) : undefined,
  cores: (cpu.user + cpu.system) / 1000 / elapsedMs,
  lost,
};
process.send({ done }, () => {
  for (const socket of sockets) socket.destroy();
  process.disconnect();
});

// A process of its own: encoders that do one thing wrong and wait to be told. Takes one argument, as JSON: port, keys (one
// an encoder), atOnce, ageSeconds (how long each publishes in real time before). Says `ready`, waits for `go`, and says
// `done` with times in milliseconds.
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from 'node:tls';
import { content, PERIOD_MS } from './flv.mjs';
import { C0C1, HANDSHAKE_REPLY_BYTES, message, publishBurst } from './rtmp-bytes.mjs';

// The parent that reads the results has exited.
process.once('disconnect', () => process.exit());

const { port, keys, atOnce, ageSeconds } = JSON.parse(process.argv[2]);
const CHUNK = 4096;
/** Packets before the fault: a key frame and what belongs to it, so that the broadcast is LIVE. */
const GOOD_PACKETS = 12;
const ANSWER_MS = 30_000;
/** Encoders of some age begin one after the other, so that their faults come apart. */
const BEGIN_APART_MS = 40;
const TICK_MS = 10;

const all = content('360p30');
const headers = all.filter((tag) => tag.header);
const media = all.filter((tag) => !tag.header).sort((a, b) => a.timestampMs - b.timestampMs);
const good = media.slice(0, GOOD_PACKETS);
const frame = all.find((tag) => tag.typeId === 9 && !tag.header);

/** Each is proved by one packet, whose timestamp follows from that of the packet before. */
const FAULTS = {
  'a frame whose time goes back (6404)': {
    code: 6404,
    tag: { typeId: 9, payload: frame.payload },
    stamp: () => 0,
  },
  'a sound header of one channel (6304)': {
    code: 6304,
    // AudioSpecificConfig: AAC LC, 48 kHz, one channel.
    tag: { typeId: 8, payload: Buffer.of(0xaf, 0, 0x11, 0x88) },
    stamp: (beforeMs) => beforeMs,
  },
  'a codec that is not H.264 (6201)': {
    code: 6201,
    // FLV codec 2, Sorenson's H.263.
    tag: { typeId: 9, payload: Buffer.concat([Buffer.of(0x12), Buffer.alloc(400, 7)]) },
    stamp: (beforeMs) => beforeMs + 1,
  },
};

const bytesOf = (tag, timestampMs) =>
  message({
    csid: tag.typeId === 8 ? 4 : 6,
    typeId: tag.typeId,
    streamId: 1,
    timestampMs,
    payload: tag.payload,
    chunkSize: CHUNK,
  });
const PING = message({
  csid: 2,
  typeId: 4,
  streamId: 0,
  timestampMs: 0,
  payload: Buffer.of(0, 6, 0, 0, 0, 1),
  chunkSize: CHUNK,
});
const PING_RESPONSE = Buffer.of(0, 7, 0, 0, 0, 1);

class Encoder {
  #socket;
  #received = Buffer.alloc(0);
  #wanted;
  #found;

  constructor(key) {
    this.#socket = connect({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false });
    this.#socket.setNoDelay(true);
    this.#socket.on('error', (error) => this.#fail(new Error(`${error.message}: ${this.#said()}`)));
    this.#socket.on('close', () => this.#fail(new Error(`the server closed the connection: ${this.#said()}`)));
    this.#socket.once('secureConnect', () => this.#socket.write(C0C1));
    let greeted = false;
    this.#socket.on('data', (bytes) => {
      const at = performance.now();
      this.#received = Buffer.concat([this.#received, bytes]);
      if (!greeted && this.#received.length >= HANDSHAKE_REPLY_BYTES) {
        greeted = true;
        this.#socket.write(publishBurst(this.#received, 'live', key, CHUNK));
      }
      if (this.#wanted !== undefined && this.#received.includes(this.#wanted)) this.#found.resolve(at);
    });
  }

  /** The words in what it sent last. */
  #said() {
    return (
      this.#received
        .toString('latin1')
        .match(/[ -~]{6,}/g)
        ?.join(' ') ?? 'without output'
    );
  }

  #fail(error) {
    this.#found?.reject(error);
  }

  /** Resolves with the time when these bytes have come. */
  hears(bytes) {
    this.#wanted = bytes;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${bytes} in ${ANSWER_MS} ms`)), ANSWER_MS);
      this.#found = { resolve: (at) => resolve(at, clearTimeout(timer)), reject };
    });
  }

  /** Milliseconds from the write to the answer. */
  async asks(bytes, answer) {
    this.#received = Buffer.alloc(0);
    const heard = this.hears(answer);
    const askedAt = performance.now();
    this.#socket.write(bytes);
    return (await heard) - askedAt;
  }

  write(bytes) {
    this.#socket.write(bytes);
  }

  destroy() {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }
}

/** An AMF0 number as it stands in the pushed object. */
function numberBytes(name, value) {
  const number = Buffer.alloc(9);
  number.writeDoubleBE(value, 1);
  return Buffer.concat([Buffer.from(name), number]);
}

const pushes = Object.fromEntries(Object.keys(FAULTS).map((name) => [name, []]));
const pings = [];

/** Sends until the age is reached, at least the first packets; resolves with the last timestamp. */
async function sendGood(encoder) {
  encoder.write(Buffer.concat([...headers, ...good].map((each) => bytesOf(each, each.timestampMs))));
  const startedAt = performance.now();
  let sent = good.length;
  const timeOf = (n) => Math.floor(n / media.length) * PERIOD_MS + media[n % media.length].timestampMs;
  while (performance.now() - startedAt < ageSeconds * 1000) {
    for (; timeOf(sent) <= performance.now() - startedAt; sent++)
      encoder.write(bytesOf(media[sent % media.length], timeOf(sent)));
    await wait(TICK_MS);
  }
  return timeOf(sent - 1);
}

async function one(key, name) {
  const { code, tag, stamp } = FAULTS[name];
  const encoder = new Encoder(key);
  await encoder.hears('NetStream.Publish.Start');
  const beforeMs = await sendGood(encoder);
  // The answer comes with a read at intervals, so that the fault would always come just after one.
  if (ageSeconds === 0) pings.push(await encoder.asks(PING, PING_RESPONSE));
  pushes[name].push(await encoder.asks(bytesOf(tag, stamp(beforeMs)), numberBytes('error_code', code)));
  encoder.destroy();
}

process.send({ ready: keys.length });
await new Promise((resolve) => process.once('message', resolve));
const names = Object.keys(FAULTS);
let next = 0;
const worker = async (n) => {
  if (ageSeconds > 0) await wait(n * BEGIN_APART_MS);
  while (next < keys.length) {
    const index = next++;
    await one(keys[index], names[index % names.length]);
  }
};
await Promise.all(Array.from({ length: atOnce }, (_, n) => worker(n)));
process.send({ done: { pushes, pings } }, () => process.disconnect());

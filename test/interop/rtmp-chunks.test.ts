/** Interoperability of the chunk stream. */
import { WireError } from '../../src/bytes/wire-error.js';
import { encodeAmf0 } from '../../src/rtmp/amf/amf0-encoder.js';
import { ChunkEncoder } from '../../src/rtmp/chunks/encoder.js';
import { DEFAULT_RTMP_LIMITS } from '../../src/rtmp/limits.js';
import { u32Body, userControlBody } from '../../src/rtmp/messages/control.js';
import { hex, publishing, ServerPeer } from '../unit/rtmp/peers.js';
import { RawPublisher } from './raw-publisher.js';

const frame = (size: number, seed = 0) => new Uint8Array(size).map((_, i) => (i * 31 + seed) & 0xff);
const same = (a: Uint8Array | undefined, b: Uint8Array) => a !== undefined && Buffer.compare(a, b) === 0;
const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof WireError) return error.code;
    throw error;
  }
  return 'none';
};

const MIB = 1024 * 1024;

describe.each([
  ['extended timestamps repeated in type 3 chunks', false],
  ['extended timestamps omitted from type 3 chunks', true],
])('%s', (_row, omitRepeatedTimestamps) => {
  test.each(['full', 'delta'] as const)('bodies stay intact across 4 h 39 min, %s headers', (headers) => {
    const { server, client } = publishing({ omitRepeatedTimestamps, headers });
    const times = [16_777_100, 16_777_213, 16_777_214, 16_777_215, 16_777_216, 16_777_249, 16_800_000];
    for (const [i, time] of times.entries()) client.session.sendVideo(time, frame(9000, i));
    expect(server.video.map((message) => message.timestampMs)).toEqual(times);
    expect(server.video.every((message, i) => same(message.payload, frame(9000, i)))).toBe(true);
    expect(server.faults).toEqual([]);
  });
});

describe('eight hours without interruption', () => {
  test.each([
    ['from 0', 0],
    ['from beyond 2^24', 20_000_000],
    ['across 2^32', 2 ** 32 - 3_600_000],
  ])('%s', (_name, timestampOffsetMs) => {
    const { server, client } = publishing({ timestampOffsetMs, headers: 'delta', omitRepeatedTimestamps: true });
    const wanted: number[] = [];
    for (let time = 0; time <= 28_800_000; time += 20_000) {
      client.session.sendVideo(time, frame(5000));
      client.session.sendAudio(time + 10, frame(300));
      wanted.push((time + timestampOffsetMs) % 2 ** 32);
    }
    expect(server.video.map((message) => message.timestampMs)).toEqual(wanted);
    expect(server.audio).toHaveLength(wanted.length);
    expect(server.video.every((message) => message.payload.length === 5000)).toBe(true);
    expect(server.faults).toEqual([]);
  });
});

test('reads an extended value in a type 1 or 2 chunk as a delta', () => {
  const publisher = new RawPublisher().publish();
  publisher.push(hex('06 0003e8 000001 09 01000000 17  46 ffffff 000001 09 01000000 27  86 ffffff 02000000 27'));
  expect(publisher.server.video.map((message) => message.timestampMs)).toEqual([1000, 16_778_216, 50_332_648]);
});

test('passes on the timestamps of a sender that wraps at 24 bits', () => {
  const publisher = new RawPublisher().publish();
  publisher.push(hex('06 fffffe 000001 09 01000000 17 06 00001f 000001 09 01000000 27'));
  expect(publisher.server.video.map((message) => message.timestampMs)).toEqual([0xfffffe, 31]);
});

test('passes on timestamps across 2^31 and 2^32, and steps of 4,294,967', () => {
  const { server, client } = publishing({ headers: 'delta' });
  const times = [2 ** 31 - 20, 2 ** 31 + 13, 2 ** 32 - 20, 2 ** 32 + 13, 2 ** 32 + 13 + 4_294_967];
  for (const time of times) client.session.sendVideo(time, frame(10));
  expect(server.video.map((message) => message.timestampMs)).toEqual(times.map((time) => time % 2 ** 32));
});

test('reads chunk streams 45, 64, 319, 320 and 65599, and both encodings of one ID', () => {
  const publisher = new RawPublisher().publish();
  for (const id of [45, 64, 319, 320, 65_599]) publisher.message(8, frame(3), 1, id, id);
  // Stream 64 in its three-byte form continues the two-byte form.
  publisher.push(hex('c1 0000 aaaaaa'));
  expect(publisher.server.audio.map((message) => message.chunkStreamId)).toEqual([45, 64, 319, 320, 65_599, 64]);
});

test('limits the chunk streams of a connection', () => {
  const publisher = new RawPublisher().publish();
  const error = codeOf(() => {
    for (let id = 100; id < 200; id++) publisher.message(8, frame(3), 1, 0, id);
  });
  expect(error).toBe('RTMP_TOO_MANY_CHUNK_STREAMS');
});

test('accepts a chunk stream that begins with type 1 on stream 0, with its delta as timestamp', () => {
  const publisher = new RawPublisher().publish();
  publisher.push(hex('46 000021 000002 09 1700'));
  expect(publisher.server.video).toMatchObject([{ timestampMs: 33, messageStreamId: 0 }]);
});

test.each([
  ['2', '86 000021 17'],
  ['3', 'c6 17'],
])('refuses one that begins with type %s and names the chunk stream', (_type, bytes) => {
  const publisher = new RawPublisher().publish();
  expect(() => publisher.push(hex(bytes))).toThrow(/chunk stream 6/);
});

test.each([0x7fffffff, 134_217_728])('accepts Set Chunk Size %d without allocating', (size) => {
  const publisher = new RawPublisher().publish().chunkSize(size);
  publisher.message(9, frame(100_000), 1);
  expect(publisher.server.video.map((message) => message.payload.length)).toEqual([100_000]);
});

test('accepts a chunk size of 1 within the work budget', () => {
  const { server, client } = publishing({ chunkSize: 1 });
  client.session.sendVideo(0, frame(20_000));
  expect(same(server.video[0]?.payload, frame(20_000))).toBe(true);
  expect(codeOf(() => client.session.sendVideo(0, frame(200_000)))).toBe('RTMP_CHUNKS_TOO_SMALL');
});

test.each([
  ['0', '02 000000 000004 01 00000000 00000000'],
  ['with the top bit', '02 000000 000004 01 00000000 80000001'],
  ['of 3 bytes', '02 000000 000003 01 00000000 000010'],
])('refuses Set Chunk Size %s', (_name, bytes) => {
  const publisher = new RawPublisher().publish();
  expect(codeOf(() => publisher.push(hex(bytes)))).toBe('RTMP_CHUNK_SIZE');
});

test('does not allocate declared lengths, and bounds what arrives', () => {
  const publisher = new RawPublisher().publish();
  expect(codeOf(() => publisher.push(hex('06 000000 fffffe 09 01000000')))).toBe('RTMP_MESSAGE_TOO_LONG');

  const before = process.memoryUsage().arrayBuffers;
  const many = new RawPublisher().publish();
  for (let id = 10; id < 60; id++) many.push([id], hex('000000 7fffff 09 01000000'), frame(128));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MIB);

  const flood = new RawPublisher().publish().chunkSize(65_536);
  let arrivedBytes = 0;
  const error = codeOf(() => {
    for (let round = 0; round < 100; round++) {
      for (let id = 10; id < 60; id++) {
        flood.push(
          round === 0 ? [id] : [id | 0xc0],
          round === 0 ? hex('000000 7fffff 09 01000000') : [],
          new Uint8Array(65_536),
        );
        arrivedBytes += 65_536;
      }
    }
  });
  expect(error).toBe('RTMP_UNFINISHED_TOO_LARGE');
  expect(arrivedBytes).toBeLessThanOrEqual(DEFAULT_RTMP_LIMITS.unfinishedBytes);
});

test('holds at most 256 KiB for a connection before its publish is accepted', () => {
  const publisher = new RawPublisher(new ServerPeer(() => undefined)).publish().chunkSize(65_536);
  const error = codeOf(() => {
    publisher.push(hex('06 000000 7fffff 09 01000000'), new Uint8Array(65_536));
    for (let i = 0; i < 4; i++) publisher.push([0xc6], new Uint8Array(65_536));
  });
  expect(error).toBe('RTMP_UNFINISHED_TOO_LARGE');
});

test('follows repeated changes of the chunk size between messages', () => {
  const { server, client } = publishing({ chunkSize: 128 });
  for (const [i, size] of [4096, 128, 65_536, 1000].entries()) {
    client.session.setChunkSize(size);
    client.session.sendVideo(i, frame(10_000, i));
  }
  expect(server.video.every((message, i) => same(message.payload, frame(10_000, i)))).toBe(true);
  expect(server.video).toHaveLength(4);
});

test('reads a client without Set Chunk Size at 128', () => {
  const publisher = new RawPublisher().publish();
  expect(publisher.encoder.chunkSize).toBe(128);
  publisher.message(9, frame(1000), 1);
  expect(same(publisher.server.video[0]?.payload, frame(1000))).toBe(true);
});

test('reads audio chunks interleaved with a long video message', () => {
  const publisher = new RawPublisher().publish();
  const video = new ChunkEncoder().encode(6, 9, 1, 40, frame(300));
  const audio = new ChunkEncoder().encode(4, 8, 1, 41, frame(200, 7));
  // 12 + 128, then 1 + 128 per chunk.
  publisher.push(
    video.subarray(0, 140),
    audio.subarray(0, 140),
    video.subarray(140, 269),
    audio.subarray(140),
    video.subarray(269),
  );
  expect(publisher.server.audio.map((message) => same(message.payload, frame(200, 7)))).toEqual([true]);
  expect(publisher.server.video.map((message) => same(message.payload, frame(300)))).toEqual([true]);
});

test('drops an aborted message and reads the next one', () => {
  const publisher = new RawPublisher().publish();
  publisher.push(new ChunkEncoder().encode(6, 9, 1, 0, frame(300)).subarray(0, 140));
  publisher.message(2, u32Body(6), 0, 0, 2).message(2, u32Body(60), 0, 0, 2);
  publisher.message(9, frame(50, 1), 1, 0, 6);
  expect(publisher.server.video.map((message) => same(message.payload, frame(50, 1)))).toEqual([true]);
  expect(publisher.server.faults).toEqual(['message-aborted']);
});

test.each([
  ['0', '06 000000 000002 09 01000000 1701'],
  ['1', '46 000000 000002 09 1701'],
])('drops and reports an unfinished message when a new header of type %s arrives', (_type, bytes) => {
  const publisher = new RawPublisher().publish();
  publisher.push(new ChunkEncoder().encode(6, 9, 1, 0, frame(300)).subarray(0, 140));
  publisher.push(hex(bytes));
  expect(publisher.server.video.map((message) => message.payload)).toEqual([hex('1701')]);
  expect(publisher.server.faults).toEqual(['partial-message-dropped']);
});

test.each([0, 7, 16, 19, 210, 255])('ignores and counts message type %d, and refuses a flood of it', (typeId) => {
  const publisher = new RawPublisher().publish();
  publisher.message(typeId, frame(10), 1).message(9, frame(10), 1);
  expect(publisher.server.faults).toEqual(['unknown-message-type']);
  expect(publisher.server.video).toHaveLength(1);
  const error = codeOf(() => {
    for (let i = 0; i < 2000; i++) publisher.message(typeId, frame(10), 1);
  });
  expect(error).toBe('RTMP_TOO_MANY_IGNORED');
});

test('tolerates one ignored message per second indefinitely', () => {
  const publisher = new RawPublisher(new ServerPeer(undefined, { ignoredMessages: 10 })).publish();
  for (let i = 0; i < 1000; i++) {
    for (let k = 0; k < 16; k++) publisher.message(8, frame(4), 1);
    publisher.message(7, frame(4), 1);
  }
  expect(publisher.server.audio).toHaveLength(16_000);
});

test('accepts short bodies', () => {
  const publisher = new RawPublisher().publish();
  for (const size of [0, 1, 2, 5]) publisher.message(9, frame(size), 1).message(8, frame(size), 1);
  expect(publisher.server.video.map((message) => message.payload.length)).toEqual([0, 1, 2, 5]);
  expect(publisher.server.audio.map((message) => message.payload.length)).toEqual([0, 1, 2, 5]);
});

test('splits an aggregate, with timestamps relative to its first tag', () => {
  const publisher = new RawPublisher().publish();
  const tags = '09 000002 000064 00 000000 1701 0000000d  08 000002 000078 00 000000 af01 0000000d';
  publisher.message(22, hex(tags), 1, 5000);
  expect(publisher.server.video).toMatchObject([{ typeId: 9, timestampMs: 5000, payload: hex('1701') }]);
  expect(publisher.server.audio).toMatchObject([{ typeId: 8, timestampMs: 5020, payload: hex('af01') }]);
  publisher.message(22, hex('09 000009 000064 00 000000 1701'), 1, 5000);
  expect(publisher.server.faults).toEqual(['malformed-aggregate']);
});

test('ends only the corrupt connection, with the byte offset in the error', () => {
  const other = publishing();
  const publisher = new RawPublisher().publish();
  const before = publisher.server.session.bytesReceived;
  let caught: unknown;
  try {
    publisher.push(hex('c9 00 11 22 33'));
  } catch (error) {
    caught = error;
  }
  expect(caught).toMatchObject({ name: 'WireError', code: 'RTMP_CHUNK_WITHOUT_HEADER', offset: before });
  other.client.session.sendVideo(0, frame(10));
  expect(other.server.video).toHaveLength(1);
});

test('sends control messages on chunk stream 2, connection replies on 3, stream replies on 5', () => {
  const publisher = new RawPublisher(new ServerPeer(undefined, {}, { windowAckSize: 1000 })).publish();
  publisher.message(9, frame(5000), 1).message(4, userControlBody(6, 77), 0, 0, 2);
  publisher.server.session.sendStatus({ level: 'warning', code: 'NetStream.Publish.Violation', description: 'x' });
  publisher.command(0, 'deleteStream', 0, null, 1);
  const received = publisher.received();
  expect(new Set(received.map((message) => message.typeId))).toEqual(new Set([3, 4, 5, 6, 20]));
  for (const message of received) {
    expect(message.chunkStreamId).toBe(message.typeId !== 20 ? 2 : message.messageStreamId === 0 ? 3 : 5);
  }
});

test('sends one Set Chunk Size, before the connect result', () => {
  const publisher = new RawPublisher().publish();
  publisher.message(9, frame(50_000), 1).connect().command(0, 'deleteStream', 0, null, 1);
  publisher.command(0, 'createStream', 6, null).command(2, 'publish', 7, null, 'key', 'live');
  const bytes = Buffer.concat(publisher.server.writes.slice(1));
  const wanted = Buffer.from(hex('02 000000 000004 01 00000000 00001000'));
  expect(bytes.indexOf(wanted)).toBeGreaterThanOrEqual(0);
  expect(bytes.indexOf(wanted)).toBeLessThan(bytes.indexOf('_result'));
  expect(bytes.indexOf(wanted.subarray(4, 12), bytes.indexOf(wanted) + 8)).toBe(-1);
});

test('acknowledges totals across 2^31 and 2^32 over 33 GB', () => {
  const windowAckSize = 500_000_000;
  const publisher = new RawPublisher(new ServerPeer(undefined, {}, { windowAckSize })).publish().chunkSize(16_000_000);
  const { server } = publisher;
  server.takeVideo = () => undefined;
  const message = new Uint8Array(
    new ChunkEncoder({ chunkSize: 16_000_000 }).encode(6, 9, 1, 0, new Uint8Array(8_000_000)),
  );
  let due = 0;
  const wanted: number[] = [];
  const before = server.writes.length;
  for (let sent = 0; sent < 33_000_000_000; sent += message.length) {
    server.session.push(message);
    if (server.session.bytesReceived - due >= windowAckSize) {
      due = server.session.bytesReceived;
      wanted.push(due % 2 ** 32);
    }
  }
  const acks = server.writes.slice(before).map((bytes) => Buffer.from(bytes).readUInt32BE(12));
  expect(acks).toEqual(wanted);
  expect(acks.length).toBeGreaterThan(60);
  expect(acks.filter((ack, i) => ack < (acks[i - 1] ?? 0))).toHaveLength(7);
});

test('answers each request in proportion and in one write', () => {
  const publisher = new RawPublisher().publish();
  const writes = publisher.server.writes.length;
  const received = publisher.server.session.bytesReceived;
  for (let i = 0; i < 1000; i++) publisher.message(4, userControlBody(6, i), 0, 0, 2);
  const answers = publisher.server.writes.slice(writes);
  expect(answers).toHaveLength(1000);
  const bytes = answers.reduce((sum, write) => sum + write.length, 0);
  expect(bytes).toBeLessThanOrEqual(publisher.server.session.bytesReceived - received);
});

test('acknowledges at our window or that of the peer, not per packet', () => {
  const acks = (publisher: RawPublisher) => publisher.received().filter((message) => message.typeId === 3).length;
  const ours = new RawPublisher().publish();
  for (let i = 0; i < 60; i++) ours.message(9, frame(100_000), 1);
  expect(acks(ours)).toBe(2);

  const theirs = new RawPublisher().publish().message(5, u32Body(500_000), 0, 0, 2);
  for (let i = 0; i < 60; i++) theirs.message(9, frame(100_000), 1);
  expect(acks(theirs)).toBe(12);

  const greedy = new RawPublisher().publish().message(5, u32Body(1), 0, 0, 2);
  for (let i = 0; i < 60; i++) greedy.message(9, frame(1000), 1);
  expect(acks(greedy)).toBeLessThanOrEqual(4);
  expect(greedy.message(18, encodeAmf0('onMetaData', {}), 1).server.data).toHaveLength(1);
});

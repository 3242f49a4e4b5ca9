/** Buffered writes of a replay, and the cached recording of many loops and connections. */
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { GatheredWrites } from '../../../../src/cli/replay/gathered-writes.js';
import { Recording } from '../../../../src/cli/replay/source.js';
import { ChunkEncoder } from '../../../../src/rtmp/chunks/encoder.js';
import { flvFile } from '../../../support/flv-writer.js';
import { folderOfFile } from '../../../support/folders.js';
import { synthStream } from '../../../support/synth-stream.js';

const folder = folderOfFile('airlock-replay-output-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('buffered messages have the same bytes as single ones and stay within the announced size', () => {
  const message = fc.record({
    chunkStreamId: fc.constantFrom(3, 63, 64, 319, 320, 65_599),
    timestampMs: fc.constantFrom(0, 40, 0xff_fffe, 0xff_ffff, 0x1_0000_00, 0xffff_ffff),
    bytes: fc.integer({ min: 0, max: 3000 }),
  });
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 20 }),
      fc.constantFrom(1, 77, 128, 4096),
      fc.constantFrom('full' as const, 'delta' as const),
      (messages, chunkSize, headers) => {
        const [apart, together] = [new ChunkEncoder({ chunkSize, headers }), new ChunkEncoder({ chunkSize, headers })];
        const room = messages.reduce((sum, { bytes }) => sum + together.maxEncodedBytes(bytes), 0);
        const out = Buffer.alloc(room);
        const pieces: Buffer[] = [];
        let at = 0;
        for (const { chunkStreamId, timestampMs, bytes } of messages) {
          const body = new Uint8Array(bytes).fill(bytes);
          const before = at;
          at = together.encodeInto(out, at, chunkStreamId, 9, 1, timestampMs, body);
          expect(at - before).toBeLessThanOrEqual(together.maxEncodedBytes(bytes));
          pieces.push(apart.encode(chunkStreamId, 9, 1, timestampMs, body));
        }
        expect(out.subarray(0, at).equals(Buffer.concat(pieces))).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});

test('reuses a buffer only after it was flushed, and keeps the order', async () => {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  const [[peer]] = (await Promise.all([once(server, 'connection'), once(socket, 'connect')])) as [[Socket], unknown];
  const writes = new GatheredWrites(socket, () => undefined);
  // More than the buffers of an unread socket hold, so that writes stay pending.
  const rows = 40_000;
  const sizeOf = (row: number) => (row % 1000 === 0 ? 100_000 : 500);
  let total = 0;
  for (let row = 0; row < rows; row++) {
    const size = sizeOf(row);
    total += size;
    const room = writes.room(size);
    if (room === undefined) {
      writes.write(new Uint8Array(size).fill(row % 251));
    } else {
      room.fill(row % 251, writes.used, writes.used + size);
      writes.used += size;
    }
  }
  writes.flush();
  expect(writes.pending).toBeGreaterThan(1);
  let [row, left, received] = [0, sizeOf(0), 0];
  const whole = new Promise<void>((resolve, reject) => {
    peer.on('data', (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; ) {
        const end = Math.min(bytes.length, at + left);
        if (bytes.subarray(at, end).some((byte) => byte !== row % 251)) reject(new Error(`row ${row} is spoilt`));
        left -= end - at;
        at = end;
        if (left === 0) left = sizeOf(++row);
      }
      received += bytes.length;
      if (received === total) resolve();
    });
  });
  peer.resume();
  await whole;
  socket.destroy();
  server.close();
});

test('reads a recording that is sent repeatedly once, with continuous timestamps across loops', async () => {
  const path = join(folder, 'clip.flv');
  const clip = [...synthStream({ durationMs: 1000, width: 640, height: 360, videoKbps: 600 })];
  writeFileSync(path, flvFile(clip));
  const recording = new Recording(path, 'clip.flv', { ffmpeg: 'none', ffprobe: 'none' }, 4);
  const timesOf = async (): Promise<number[]> => {
    const times: number[] = [];
    for await (const { tags, offsetMs } of recording.tags(2)) times.push(...tags.map((tag) => tag.timeMs + offsetMs));
    return times;
  };
  const first = await timesOf();
  rmSync(path);
  expect(await timesOf()).toEqual(first);
  const own = clip.map((message) => message.timestampMs);
  const lengthMs = (first[own.length] ?? 0) - (own[0] ?? 0);
  // One frame after the last, which ends with its audio.
  expect(lengthMs).toBeGreaterThan(Math.max(...own));
  expect(lengthMs).toBeLessThan(1050);
  expect(first).toEqual([...own, ...own.map((time) => time + lengthMs)]);
});

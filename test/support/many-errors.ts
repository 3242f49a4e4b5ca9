/** An encoder that violates a rule with every other packet, beside a stream of another. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildAsc } from './aac-writer.js';
import type { Airlock } from './airlock.js';
import { Bystander, expectUntouched } from './bystander.js';
import { aacFrame, aacSequenceHeader, avcFrame, avcSequenceHeader } from './flv-writer.js';
import { buildAvcc, lengthPrefixed, slice } from './h264-writer.js';
import { watchMemory } from './process-memory.js';
import { RawClient } from './raw-client.js';

const BATCH = 2_000;

const journalBytes = (airlock: Airlock) => {
  const folder = join(airlock.folder, 'data', 'journal');
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
};

/** Expects `errors` errors to become few records and few pushes. `errors` is a multiple of the batch of 2,000. */
export async function expectAggregated(airlock: Airlock, errors: number): Promise<void> {
  const bystander = await Bystander.start(airlock);
  const live = await airlock.createLive();
  const bad = await RawClient.open(airlock);
  bad.publish(live.key);
  await bad.hears('Publish.Start');
  const memory = watchMemory(airlock.pid);
  const before = journalBytes(airlock);
  let received = 0;
  bad.socket.on('data', (bytes: Buffer) => {
    received += bytes.length;
  });
  bad.chunkSize(65_536);
  const idr = slice({ idr: true, size: 20 });
  const inter = avcFrame(lengthPrefixed([slice({ size: 20 })]));
  bad.message(8, aacSequenceHeader(buildAsc()), 1, 0);
  bad.message(9, avcSequenceHeader(buildAvcc()), 1, 0);
  bad.message(9, avcFrame(lengthPrefixed([idr]), { key: true }), 1, 0);
  bad.message(8, aacFrame(new Uint8Array(20)), 1, 0);
  // Every second frame is 700 ms before the previous one. Chunk encoding leaves the encoder's state as it was, so a batch can be resent.
  const batch = () =>
    Buffer.concat(
      Array.from({ length: BATCH }, () => [
        bad.encoder.encode(6, 9, 1, 2_000, inter),
        bad.encoder.encode(6, 9, 1, 1_300, inter),
      ]).flat(),
    );
  bad.socket.write(batch());
  const next = batch();
  for (let sent = BATCH; sent < errors && !bad.isClosed; sent += BATCH)
    if (!bad.socket.write(next)) await bad.drained();
  // The final count is stored when the stream ends, after all packets have been read.
  bad.command(1, 'deleteStream', 6, null, 1);
  const rows = await airlock.until(
    () => airlock.errors(live.id),
    (found) => found.some((row) => row.error_code === 6404 && row.count >= errors),
  );
  expect(rows.find((row) => row.error_code === 6404)?.count).toBe(errors);
  expect(rows.length).toBeLessThan(10);
  // Revisions count every raise, count update and clear.
  expect(Math.max(...rows.map((row) => Number(row.revision)))).toBeLessThan(500);
  expect(received).toBeLessThan(100_000);
  expect(journalBytes(airlock) - before).toBeLessThan(1_000_000);
  // One record per error would take about a kilobyte each; the stream itself takes some megabytes.
  expect(memory.peakMb() - memory.beforeMb).toBeLessThan(20 + errors / 2_000);
  bad.cut();
  await expectUntouched(bystander);
}

/** Memory of an encoder that stands by, beside that of one that is on air: objects of the heap and buffers, after a collection. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SliceList } from '../../src/bytes/slices.js';
import { IngestHarness, type Stay } from '../support/ingest-harness.js';
import { synthStream } from '../support/synth-stream.js';

const COUNT = 60;
/** Collections give back not quite all that is free. */
const NOISE = 1.1;

let harness: IngestHarness;
let collect: () => void;
beforeAll(async () => {
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc');
  harness = await IngestHarness.open();
});
afterAll(() => harness.close());

function usedKb(): number {
  for (let times = 0; times < 4; times++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1024;
}

const STREAM = [...synthStream({ durationMs: 12_000 })];

/** All send the same stream, with a tick of the clock every 100 ms. */
async function send(stays: readonly Stay[]): Promise<void> {
  const { clock } = harness;
  const startMs = clock.monotonicMs();
  let tickedMs = startMs;
  for (const { kind, timestampMs, payload } of STREAM) {
    clock.advance(Math.max(0, startMs + timestampMs - clock.monotonicMs()));
    const atMs = clock.monotonicMs();
    for (const { publication } of stays) {
      const message = { payload: SliceList.of(payload), timestampMs, messageNumber: 1, byteOffset: 0, atMs };
      if (kind === 'video') publication.video(message);
      else if (kind === 'audio') publication.audio(message);
    }
    if (atMs - tickedMs < 100) continue;
    tickedMs = atMs;
    harness.tick();
  }
  // Resolves behind what was queued for the store.
  await harness.store.objects.get('1');
  harness.entries.length = 0;
}

/** KB for each of the publications that `open` makes, which send beside those that were there. */
async function eachKb(open: () => Promise<Stay>, beside: readonly Stay[] = []) {
  const beforeKb = usedKb();
  const stays: Stay[] = [];
  for (let count = 0; count < COUNT; count++) stays.push(await open());
  await send([...beside, ...stays]);
  return { kb: (usedKb() - beforeKb) / COUNT, stays };
}

test('a standby takes no more than a publisher', async () => {
  const leave = (stays: readonly Stay[]) =>
    Promise.all(stays.map(({ publication }) => harness.publications.leave(publication, 'unpublished')));
  // Code is compiled and caches are filled once.
  await leave((await eachKb(() => harness.publish())).stays);
  const alone = await eachKb(() => harness.publish());
  await leave(alone.stays);
  const lives = await Promise.all(Array.from({ length: COUNT }, () => harness.pair()));
  const [forPrimary, forBackup] = [lives.values(), lives.values()];
  const primary = await eachKb(() => harness.publishInput(forPrimary.next().value!, 0));
  const backup = await eachKb(() => harness.publishInput(forBackup.next().value!, 1), primary.stays);
  const text = [alone, primary, backup].map(({ kb }) => `${kb.toFixed(1)} KB`);
  process.stdout.write(`publisher ${text[0]}, primary of two ${text[1]}, standby ${text[2]}\n`);
  expect(backup.stays.every(({ publication }) => !publication.isOnAir)).toBe(true);
  expect(backup.kb).toBeLessThan(NOISE * alone.kb);
}, 120_000);

/** Records an FLV file as if it were a broadcast, in real time, and says how far it is. Made to be killed. */
import { mkdirSync, readFileSync } from 'node:fs';
import { type SliceList, SliceList as Slices } from '../../src/bytes/slices.js';
import { FlvFileReader, type FlvTagKind } from '../../src/media/flv/file-reader.js';
import { Recorder } from '../../src/recording/recorder.js';
import { memoryLog, realClock } from './store-harness.js';
import { tappedStream } from './tapped-stream.js';

const [folder = '', file = ''] = process.argv.slice(2);
const tags: { kind: FlvTagKind; timestampMs: number; payload: Uint8Array }[] = [];
const reader = new FlvFileReader({
  tag: (kind, timestampMs, payload: SliceList) =>
    tags.push({ kind, timestampMs, payload: payload.copy(0, payload.length) }),
});
reader.push(readFileSync(file));
mkdirSync(folder, { recursive: true });
const recorder = new Recorder({ folder, clock: realClock, log: memoryLog() });
const tap = recorder.open(tappedStream('1'), 'live');
const startMs = performance.now();
let next = 0;
setInterval(() => {
  const now = performance.now() - startMs;
  for (let tag = tags[next]; tag !== undefined && tag.timestampMs <= now; tag = tags[next]) {
    tap?.packet(tag.kind, tag.timestampMs, Slices.of(tag.payload));
    next++;
  }
  process.stdout.write(`${tags[next - 1]?.timestampMs ?? 0}\n`);
}, 10);

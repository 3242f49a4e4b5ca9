/**
 * Cost of judging one packet: parse, facts and rules, without network. Ratio to a bare loop over the same payloads (one
 * byte read each), so that the figure means something on another machine.
 *
 *   npm run build && node bench/judge.mjs FILE.flv [repeats]
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { StreamJudge } from '../dist/broadcast/judge.js';
import { SliceList } from '../dist/bytes/slices.js';

const file = process.argv[2];
if (file === undefined) throw new Error('usage: node bench/judge.mjs FILE.flv [repeats]');
const repeats = Number(process.argv[3] ?? 20);

/** FLV tags of the file: type, time, body. */
function readTags(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const tags = [];
  for (let at = view.getUint32(5) + 4; at + 11 <= bytes.length; ) {
    const size = (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    const time = ((bytes[at + 7] << 24) | (bytes[at + 4] << 16) | (bytes[at + 5] << 8) | bytes[at + 6]) >>> 0;
    tags.push({ type: bytes[at], time, body: SliceList.of(bytes.subarray(at + 11, at + 11 + size)) });
    at += 11 + size + 4;
  }
  return tags;
}

const tags = readTags(readFileSync(file)).filter(({ type }) => type === 8 || type === 9);
const spanMs = tags.at(-1).time - tags[0].time + 40;

function measure(name, run) {
  run(2);
  const before = performance.now();
  const packets = run(repeats);
  const perPacketUs = ((performance.now() - before) * 1000) / packets;
  console.log(`${name}: ${perPacketUs.toFixed(3)} µs a packet (${packets} packets)`);
  return perPacketUs;
}

const bare = measure('bare loop', (times) => {
  let sum = 0;
  let packets = 0;
  for (let round = 0; round < times; round++) {
    for (const { body } of tags) {
      sum += body.byteAt(0);
      packets++;
    }
  }
  if (sum < 0) console.log(sum);
  return packets;
});

const judged = measure('judge', (times) => {
  const judge = new StreamJudge({ broadcastId: '1', fence: 1, mode: 'live', secure: true, startWallMs: 0 });
  judge.connect({ wallMs: 0, atMs: 0, clientName: '' });
  let packets = 0;
  let raised = 0;
  // As a connection does it: one object, filled anew for each packet.
  const message = {
    payload: SliceList.of(new Uint8Array(0)),
    timestampMs: 0,
    messageNumber: 0,
    byteOffset: 0,
    atMs: 0,
  };
  for (let round = 0; round < times; round++) {
    for (const { type, time, body } of tags) {
      const atMs = time + round * spanMs;
      message.payload = body;
      message.timestampMs = atMs;
      message.messageNumber = packets;
      message.atMs = atMs;
      if (type === 9) judge.video(message);
      else judge.audio(message);
      if (judge.changed) raised += judge.takeChanges().length;
      packets++;
    }
  }
  if (raised < 0) console.log(raised);
  return packets;
});

console.log(`ratio: ${(judged / bare).toFixed(1)}`);

/**
 * Cost of judging one packet: parse, facts and rules, without network, with the analysis beyond the published document and
 * without. CPU of the process, as a ratio to a bare loop over the same payloads (one byte read each), so that the figure
 * means something on another machine. With --groups: what the checks of the rules take of it, by group.
 *
 *   npm run build && node bench/judge.mjs FILE.flv [--repeats 200] [--groups]
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { SliceList } from '../dist/bytes/slices.js';
import { countChecks } from './lib/rule-cost.mjs';

const {
  values: { repeats: rounds, groups },
  positionals: [file],
} = parseArgs({
  allowPositionals: true,
  options: { repeats: { type: 'string', default: '200' }, groups: { type: 'boolean', default: false } },
});
if (file === undefined) throw new Error('usage: node bench/judge.mjs FILE.flv [--repeats 200] [--groups]');
const repeats = Number(rounds);
const WARM_UP = 10;
const TICK_MS = 100;

/** FLV tags of the file: type, time, body. */
function readTags(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const tags = [];
  for (let at = view.getUint32(5) + 4; at + 11 <= bytes.length; ) {
    const size = (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    const time = ((bytes[at + 7] << 24) | (bytes[at + 4] << 16) | (bytes[at + 5] << 8) | bytes[at + 6]) >>> 0;
    const body = bytes.subarray(at + 11, at + 11 + size);
    const isConfig = body[1] === 0 && (bytes[at] === 9 || body[0] >> 4 === 10);
    tags.push({ type: bytes[at], time, body: SliceList.of(body), isConfig });
    at += 11 + size + 4;
  }
  return tags.filter(({ type, body }) => (type === 8 || type === 9) && body.length > 2);
}

const tags = readTags(readFileSync(file));
const media = tags.filter((tag) => !tag.isConfig).sort((a, b) => a.time - b.time);
const spanMs = media.at(-1).time - media[0].time + 1000 / 30;

function measure(name, run) {
  run(0, WARM_UP);
  const before = process.cpuUsage();
  const packets = run(WARM_UP, WARM_UP + repeats);
  const { user, system } = process.cpuUsage(before);
  const perPacketUs = (user + system) / packets;
  console.log(`${name}: ${perPacketUs.toFixed(3)} µs a packet (${packets} packets)`);
  return perPacketUs;
}

const bare = measure('bare loop', (from, to) => {
  let sum = 0;
  let packets = 0;
  for (let round = from; round < to; round++) {
    for (const { body } of media) {
      sum += body.byteAt(0);
      packets++;
    }
  }
  if (sum < 0) console.log(sum);
  return packets;
});

/** A function that judges rounds of the file in real time, one after the other. */
function judging(StreamJudge, analysis) {
  const judge = new StreamJudge({ broadcastId: '1', fence: 1, mode: 'live', secure: true, startWallMs: 0, analysis });
  judge.connect({ wallMs: 0, atMs: 0, clientName: '' });
  // As a connection does it: one object, filled anew for each packet.
  const message = { payload: media[0].body, timestampMs: 0, messageNumber: 0, byteOffset: 0, atMs: 0 };
  let tickedMs = 0;
  const take = ({ type, body }, atMs) => {
    while (tickedMs + TICK_MS <= atMs) {
      tickedMs += TICK_MS;
      judge.tick({ wallMs: tickedMs, atMs: tickedMs });
    }
    message.payload = body;
    message.timestampMs = Math.round(atMs);
    message.messageNumber++;
    message.atMs = atMs;
    if (type === 9) judge.video(message);
    else judge.audio(message);
    if (judge.changed) judge.takeChanges();
  };
  for (const tag of tags) if (tag.isConfig) take(tag, 0);
  return (from, to) => {
    for (let round = from; round < to; round++) for (const tag of media) take(tag, round * spanMs + tag.time);
    return (to - from) * media.length;
  };
}

const counted = groups ? countChecks() : undefined;
const { StreamJudge } = await import('../dist/judge/judge.js');

if (counted === undefined) {
  const published = measure('judge, published document', judging(StreamJudge, false));
  const judged = measure('judge, with the analysis', judging(StreamJudge, true));
  console.log(`ratio to the bare loop: ${(published / bare).toFixed(1)} and ${(judged / bare).toFixed(1)}`);
  console.log(`with the analysis: ${(judged / published).toFixed(2)} times the judge without it`);
} else {
  const run = judging(StreamJudge, true);
  run(0, WARM_UP);
  counted.start();
  run(WARM_UP, 2 * WARM_UP);
  console.log('\n| Rules | checks a second | ns a check | µs a second of stream |\n|---|---|---|---|');
  for (const { name, checks, ns, us } of counted.groups((WARM_UP * spanMs) / 1000)) {
    console.log(`| ${name} | ${checks.toFixed(1)} | ${ns.toFixed(0)} | ${us.toFixed(1)} |`);
  }
}

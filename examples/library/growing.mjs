// Judges FLV on standard input while it grows: ffmpeg -re -i talk.mov -c copy -f flv - | node growing.mjs
import { createJudge } from 'airlock';

const judge = createJudge({ mode: 'live', name: 'standard input' });
const clock = setInterval(() => judge.tick(), 1000);

async function print() {
  for await (const { change, record } of judge)
    if (change !== 'counted')
      console.log(`${change} ${record.error_code} at ${record.stream_time_ms} ms: ${record.description}`);
}

const printed = print();
for await (const bytes of process.stdin) judge.write(bytes);
clearInterval(clock);
const { outcome } = judge.end();
await printed;
console.log(`ended: ${outcome}`);
process.exitCode = outcome === 'pass' || outcome === 'warning' ? 0 : 1;

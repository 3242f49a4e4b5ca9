/** Processor time of samples of running broadcasts, in the sandbox of the server. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { MATCH, PRINT } from '../../src/copyright/limits.js';
import { PrintIndex } from '../../src/copyright/print-index.js';
import { parsePrint } from '../../src/copyright/prints.js';
import { StreamMatcher } from '../../src/copyright/stream-matcher.js';
import { sampleMs } from '../../src/detection/limits.js';
import { SAMPLE } from '../../src/probe/cage/limits.js';
import { limitsOnly } from '../../src/probe/cage/open-cage.js';
import { PRINT_OUTPUT } from '../../src/probe/sample-decoder.js';
import { printOf } from '../../test/support/chromaprint.js';
import { descendantsOf } from '../../test/support/process-tree.js';
import { SOUND_RATE, song } from '../../test/support/sounds.js';
import { vodParts } from '../../test/support/vod-harness.js';
import { referenceOf } from './unrelated.mjs';

const TICK_MS = 10;

function statMs(pid, which) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return which.reduce((sum, at) => sum + Number(fields[at]), 0) * TICK_MS;
}

/** Of this process and its ended children. */
const cpuMs = () => statMs('self', [11, 12, 13, 14]);

/** Of the decoders that are kept, which run below this process. */
const decoders = () =>
  descendantsOf(process.pid).filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'ffmpeg\n');
const decodersCpuMs = () => decoders().reduce((sum, pid) => sum + statMs(pid, [11, 12]), 0);
const privateMb = (pid) =>
  [...readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/Private_\w+: +(\d+) kB/g)].reduce(
    (sum, [, kb]) => sum + Number(kb) / 1024,
    0,
  );

export async function cost(samples = 20) {
  const pcm = song(1, 30);
  const print = printOf(pcm);
  const index = PrintIndex.of([{ reference: referenceOf('r'), print }]);
  const parts = await vodParts();
  // The pauses of the share keep no process alive.
  const alive = setInterval(() => undefined, 1_000);
  console.log(
    '| Decoder | Windows of a sample | CPU of a sample | Took | CPU of a second of stream | Streams of one core |\n|---|---|---|---|---|---|',
  );
  for (const windows of [1, 4]) {
    const flv = flvOf(pcm.subarray(0, 2 * Math.floor((sampleMs(windows) / 1000) * SOUND_RATE)));
    for (const isKept of [false, true]) {
      const compare = async (n) => {
        const made = isKept
          ? await parts.media.prints.sample(flv, 'owner')
          : await parts.media.decoder.sound(flv, 'chromaprint');
        const atMs = n * windows * MATCH.windowItems * PRINT.itemMs;
        matcher.add(parsePrint(made.items ?? made.bytes), atMs, index);
        return made.tookMs;
      };
      const matcher = new StreamMatcher('another');
      if (isKept) await compare(0);
      const [start, startInside] = [cpuMs(), decodersCpuMs()];
      const took = [];
      for (let n = 1; n <= samples; n++) took.push(await compare(n));
      const around = cpuMs() - start;
      // What ffmpeg uses in the sandbox is not counted for its parents.
      let inside = decodersCpuMs() - startInside;
      if (!isKept) {
        const before = cpuMs();
        for (let n = 0; n < samples; n++) decode(flv);
        inside = cpuMs() - before;
      }
      const each = (around + inside) / samples;
      const perSecond = each / ((windows * MATCH.windowItems * PRINT.itemMs) / 1000);
      const median = took.sort((a, b) => a - b)[took.length >> 1];
      console.log(
        `| ${isKept ? 'kept' : 'started'} | ${windows} | ${each.toFixed(0)} ms | ${median.toFixed(0)} ms | ${perSecond.toFixed(1)} ms | ${Math.floor(1000 / perSecond)} |`,
      );
    }
  }
  for (const pid of decoders()) console.log(`kept: ${privateMb(pid).toFixed(0)} MB of its own`);
  clearInterval(alive);
  await parts.close();
}

function decode(flv) {
  const { program, args } = limitsOnly().enter({ tool: 'ffmpeg', limits: SAMPLE });
  const input = ['-v', 'error', '-threads', '1', '-f', 'flv', '-i', 'pipe:0', '-filter_threads', '1'];
  const { status } = spawnSync(program, [...args, ...input, ...PRINT_OUTPUT, 'pipe:1'], { input: flv });
  if (status !== 0) throw new Error('ffmpeg failed');
}

function flvOf(pcm) {
  const args = ['-v', 'error', '-f', 's16le', '-ar', String(SOUND_RATE), '-ac', '1', '-i', 'pipe:0'];
  const aac = ['-c:a', 'aac', '-b:a', '128k', '-ac', '2', '-ar', '48000'];
  // A broadcast's sample has none, and a kept decoder takes no other.
  const flv = ['-flvflags', 'no_metadata', '-f', 'flv', 'pipe:1'];
  return spawnSync('ffmpeg', [...args, ...aac, ...flv], { input: pcm, maxBuffer: 1 << 28 }).stdout;
}

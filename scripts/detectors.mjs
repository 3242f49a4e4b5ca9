/**
 * Compares what the rules on sound find with ffmpeg's silencedetect and ebur128, on clips that it makes by recipe:
 *
 *   npm run build && npm run detectors [-- FILE.flv ...]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const FFMPEG = process.env.FFMPEG_PATH ?? 'ffmpeg';
const MAIN = new URL('../dist/main.js', import.meta.url).pathname;
const SILENT_S = 10;

const pink = (seconds, volume) => `anoisesrc=c=pink:a=0.4:r=48000:d=${seconds}:seed=3,volume='${volume}':eval=frame`;
/** What sounds, and for how long. */
const SOUNDS = {
  tone: (s) => `sine=440:r=48000:d=${s}`,
  speech: (s) => pink(s, 'if(lt(mod(t,3.1),2.2),abs(sin(2*PI*2.1*t))*abs(sin(2*PI*0.13*t)),0.001)'),
  drums: (s) => pink(s, 'exp(-12*mod(t,0.5))'),
  steps: (s) => pink(s, 'if(lt(mod(t,20),12),0.8,0.05)'),
  sparse: (s) => pink(s, 'if(lt(mod(t,7),1.7),0.9,0.003)'),
  stereo: (s) =>
    `aevalsrc='0.3*sin(2*PI*220*t)*exp(-3*mod(t,0.5))|0.2*sin(2*PI*330*t)*exp(-2*mod(t,1))':s=48000:d=${s}`,
};
/** What lies between two stretches of the sound. */
const GAPS = {
  none: undefined,
  zeros: (s) => `anullsrc=r=48000:cl=mono:d=${s}`,
  hiss: (s) => `anoisesrc=a=0.0003:r=48000:d=${s}`,
};
const GAP_S = [5, 14];
const KBPS = [64, 128];

const folder = mkdtempSync(join(tmpdir(), 'detectors-'));
try {
  const files = process.argv.length > 2 ? process.argv.slice(2) : makeClips();
  report(files.map(compare));
} finally {
  rmSync(folder, { recursive: true });
}

function makeClips() {
  const files = [];
  for (const [sound, source] of Object.entries(SOUNDS)) {
    for (const [gap, between] of Object.entries(GAPS)) {
      for (const seconds of between === undefined ? [0] : GAP_S) {
        for (const kbps of KBPS) files.push(makeClip({ sound, source, gap, between, seconds, kbps }));
      }
    }
  }
  return files;
}

function makeClip({ sound, source, gap, between, seconds, kbps }) {
  const file = join(folder, `${sound}-${gap}-${seconds}-${kbps}.flv`);
  const parts = between === undefined ? [source(30)] : [source(10), between(seconds), source(10)];
  const inputs = parts.flatMap((part) => ['-f', 'lavfi', '-i', part]);
  const stereo = parts.map((_, i) => `[${i}:a]aformat=channel_layouts=stereo[a${i}]`).join(';');
  const joined = `${stereo};${parts.map((_, i) => `[a${i}]`).join('')}concat=n=${parts.length}:v=0:a=1`;
  const output = ['-c:a', 'aac', '-b:a', `${kbps}k`, file];
  execFileSync(FFMPEG, ['-v', 'error', '-y', ...inputs, '-filter_complex', joined, ...output]);
  return file;
}

function compare(file) {
  const filters = `silencedetect=noise=-60dB:d=${SILENT_S},ebur128`;
  const { stderr } = spawnSync(
    FFMPEG,
    ['-hide_banner', '-nostats', '-i', file, '-vn', '-af', filters, '-f', 'null', '-'],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    },
  );
  const { stdout } = spawnSync(process.execPath, [MAIN, 'validate', '--format', 'json', file], { encoding: 'utf8' });
  const [checked] = JSON.parse(stdout).files;
  const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
  return {
    name: basename(file),
    isSilent: stderr.includes('silence_duration') || stderr.includes('silence_start'),
    foundSilent: checked.errors.some(({ error_code }) => error_code === 6801),
    others: checked.errors.map(({ error_code }) => error_code).filter((code) => code > 6801 && code < 6900),
    lufs: Number(/I:\s+(-?[\d.]+) LUFS/.exec(summary)?.[1]),
    foundLufs: checked.stream?.loudnessLufs,
  };
}

function report(rows) {
  for (const { name, isSilent, foundSilent, others, lufs, foundLufs } of rows) {
    const verdict = isSilent === foundSilent ? '' : foundSilent ? ' FALSE ALARM' : ' MISSED';
    console.log(`${name}: silent ${isSilent}/${foundSilent}${verdict}, ${lufs}/${foundLufs} LUFS, others [${others}]`);
  }
  const found = rows.filter(({ foundSilent }) => foundSilent);
  const silent = rows.filter(({ isSilent }) => isSilent);
  const both = found.filter(({ isSilent }) => isSilent).length;
  const apart = rows
    .filter(({ lufs, foundLufs }) => lufs > -70 && foundLufs !== undefined)
    .map(({ lufs, foundLufs }) => Math.abs(lufs - foundLufs))
    .sort((a, b) => a - b);
  const at = (share) => apart[Math.min(apart.length - 1, Math.floor(share * apart.length))]?.toFixed(2);
  console.log(`clips ${rows.length}, silence: precision ${both}/${found.length}, recall ${both}/${silent.length}`);
  console.log(`loudness: median ${at(0.5)} LU, 95th percentile ${at(0.95)} LU, most ${at(1)} LU`);
}

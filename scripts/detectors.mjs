/**
 * Compares what the rules on sound and picture find with ffmpeg's silencedetect, ebur128, freezedetect and blackdetect, on
 * clips that it makes by recipe:
 *
 *   npm run build && npm run detectors [-- FILE.flv ...]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const FFMPEG = process.env.FFMPEG_PATH ?? 'ffmpeg';
const MAIN = join(import.meta.dirname, '../dist/main.js');
const SILENT_S = 10;
const FROZEN_S = 10;
const BLACK_S = 5;

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

/** What is between two stretches of motion, and for how long. `still` names a source whose first picture is repeated. */
const PICTURES = {
  photo: { still: 'mandelbrot=s=640x360:start_scale=0.02,gblur=1' },
  slide: { still: 'testsrc=s=640x360' },
  bars: { source: 'smptebars=s=640x360:r=30' },
  black: { source: 'color=black:s=640x360:r=30' },
  noise: { still: 'mandelbrot=s=640x360:start_scale=0.02,gblur=1', effect: ',noise=alls=8:allf=t' },
  dark: { source: 'testsrc2=s=640x360:r=30,lutyuv=y=val/4' },
  slow: { source: 'mandelbrot=s=640x360:r=30:start_scale=1:end_scale=0.9:end_pts=600' },
};
const PICTURE_S = [4, 16];
const CBR = ['-maxrate', '2500k', '-bufsize', '2500k'];
const ENCODERS = {
  crf: ['-preset', 'ultrafast', '-crf', '23'],
  cbr: ['-preset', 'veryfast', '-b:v', '2500k', ...CBR, '-x264-params', 'nal-hrd=cbr:filler=1'],
  abr: ['-preset', 'fast', '-b:v', '2500k'],
  latency: ['-preset', 'superfast', '-tune', 'zerolatency', '-b:v', '2500k', ...CBR],
};

/** Name, what ffmpeg says, what the rules say. */
const DETECTORS = [
  ['silence', 'isSilent', 'foundSilent'],
  ['frozen', 'isFrozen', 'foundFrozen'],
  ['black', 'isBlack', 'foundBlack'],
];

const folder = mkdtempSync(join(tmpdir(), 'detectors-'));
try {
  const files = process.argv.length > 2 ? process.argv.slice(2) : [...makeClips(), ...makePictureClips()];
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

function makePictureClips() {
  const files = [];
  for (const [name, picture] of Object.entries(PICTURES)) {
    for (const seconds of PICTURE_S) {
      for (const [encoder, options] of Object.entries(ENCODERS)) {
        files.push(makePictureClip(`picture-${name}-${seconds}-${encoder}`, picture, seconds, options));
      }
    }
  }
  return files;
}

function makePictureClip(name, { still, source, effect = '' }, seconds, options) {
  const file = join(folder, `${name}.flv`);
  const motion = 'testsrc2=s=640x360:r=30:d=6,format=yuv420p,setsar=1';
  const repeated = `${still},trim=end_frame=1,loop=loop=-1:size=1,fps=30${effect}`;
  const middle = `${source ?? repeated},trim=duration=${seconds},setpts=PTS-STARTPTS,format=yuv420p,setsar=1`;
  const joined = `${motion}[a];${middle}[b];${motion}[c];[a][b][c]concat=n=3[v]`;
  const output = ['-map', '[v]', '-c:v', 'libx264', ...options, '-g', '60', file];
  execFileSync(FFMPEG, ['-v', 'error', '-y', '-filter_complex', joined, ...output]);
  return file;
}

/** What ffmpeg's detectors write about a file. */
function detect(file) {
  const sound = `silencedetect=noise=-60dB:d=${SILENT_S},ebur128`;
  const picture = `freezedetect=n=-60dB:d=${FROZEN_S},blackdetect=d=${BLACK_S}:pix_th=0.10`;
  const run = (args) => spawnSync(FFMPEG, args, { encoding: 'utf8', maxBuffer: 2 ** 28 }).stderr;
  const input = ['-hide_banner', '-nostats', '-i', file];
  const tracks = run(input);
  const audio = tracks.includes('Audio:') ? ['-map', '0:a', '-af', sound] : [];
  const video = tracks.includes('Video:') ? ['-map', '0:v', '-vf', picture] : [];
  return run([...input, ...audio, ...video, '-f', 'null', '-']);
}

function compare(file) {
  const stderr = detect(file);
  const { stdout } = spawnSync(process.execPath, [MAIN, 'validate', '--format', 'json', file], { encoding: 'utf8' });
  const [checked] = JSON.parse(stdout).files;
  const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
  const codes = checked.errors.map(({ error_code }) => error_code);
  const isBlack = stderr.includes('black_duration');
  return {
    name: basename(file),
    isSilent: stderr.includes('silence_duration') || stderr.includes('silence_start'),
    foundSilent: codes.includes(6801),
    // A black picture is not reported as frozen too.
    isFrozen: stderr.includes('freeze_start') && !isBlack,
    foundFrozen: codes.includes(6811),
    isBlack,
    foundBlack: codes.includes(6812),
    others: codes.filter((code) => code > 6801 && code < 6900 && code !== 6811 && code !== 6812),
    lufs: Number(/I:\s+(-?[\d.]+) LUFS/.exec(summary)?.[1]),
    foundLufs: checked.stream?.loudnessLufs,
  };
}

function report(rows) {
  for (const row of rows) {
    const wrong = DETECTORS.filter(([, is, found]) => row[is] !== row[found]);
    const verdict = wrong.map(([name, , found]) => (row[found] ? ` FALSE ALARM ${name}` : ` MISSED ${name}`)).join('');
    const seen = DETECTORS.map(([name, is, found]) => `${name} ${row[is]}/${row[found]}`).join(', ');
    console.log(`${row.name}:${verdict} ${seen}, ${row.lufs}/${row.foundLufs} LUFS, others [${row.others}]`);
  }
  for (const [name, is, found] of DETECTORS) {
    const raised = rows.filter((row) => row[found]);
    const both = raised.filter((row) => row[is]).length;
    const all = rows.filter((row) => row[is]).length;
    console.log(`${name}: precision ${both}/${raised.length}, recall ${both}/${all}, clips ${rows.length}`);
  }
  const apart = rows
    .filter(({ lufs, foundLufs }) => lufs > -70 && foundLufs !== undefined)
    .map(({ lufs, foundLufs }) => Math.abs(lufs - foundLufs))
    .sort((a, b) => a - b);
  const at = (share) => apart[Math.min(apart.length - 1, Math.floor(share * apart.length))]?.toFixed(2);
  console.log(`loudness: median ${at(0.5)} LU, 95th percentile ${at(0.95)} LU, most ${at(1)} LU`);
}

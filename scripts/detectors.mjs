/**
 * Compares what the rules on sound and picture find with ffmpeg's silencedetect, ebur128, freezedetect and blackdetect, on
 * clips that it makes by recipe:
 *
 *   npm run build && npm run detectors [-- FILE.flv ...] [-- --only TEXT]
 *
 * `--only`: of the clips of pictures, those whose name contains the text.
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

const PHOTO = 'mandelbrot=s=640x360:start_scale=0.02,gblur=1';
const flat = (color) => `color=${color}:s=640x360:r=30`;
/** One color, and another while `when` holds. */
const twoColors = (one, other, when) => `${flat(one)},drawbox=c=${other}:t=fill:enable='${when}'`;
const still = (source) => `${source},trim=end_frame=1,loop=loop=-1:size=1,fps=30`;
const bars = (color, count) =>
  Array.from({ length: count }, (_, i) => `drawbox=x=120:y=${80 + 34 * i}:w=${400 - 60 * i}:h=18:c=${color}:t=fill`);
const card = (ground, ink, count) => [flat(ground), ...bars(ink, count)].join(',');
const slides = (...parts) => {
  const inputs = parts.map((part, i) => `${part},trim=duration=4,setpts=PTS-STARTPTS,format=yuv420p,setsar=1[s${i}]`);
  return `${inputs.join(';')};${parts.map((_, i) => `[s${i}]`).join('')}concat=n=${parts.length}`;
};

/** Between two stretches of motion, for 4 and 16 s. */
const PICTURES = {
  photo: still(PHOTO),
  slide: still('testsrc=s=640x360'),
  bars: 'smptebars=s=640x360:r=30',
  black: flat('black'),
  noise: `${still(PHOTO)},noise=alls=8:allf=t`,
  dark: 'testsrc2=s=640x360:r=30,lutyuv=y=val/4',
  slow: 'mandelbrot=s=640x360:r=30:start_scale=1:end_scale=0.9:end_pts=600',
};
const PICTURE_S = [4, 16];
/** Between two stretches of motion too, for 20 s. */
const LONG_PICTURES = {
  white: flat('white'),
  blue: flat('blue'),
  'black-then-white': twoColors('white', 'black', 'lt(t,7)'),
  'white-then-black': twoColors('white', 'black', 'gte(t,11)'),
  'black-then-gray': twoColors('0x404040', 'black', 'lt(t,7)'),
  'black-off-the-key-frames': twoColors('white', 'black', 'between(t,3.3,12.7)'),
  'flashing-each-second': twoColors('white', 'black', 'lt(mod(t,2),1)'),
  'flashing-each-3-s': twoColors('white', 'black', 'lt(mod(t,6),3)'),
  'flashing-4-per-s': twoColors('white', 'black', 'lt(mod(t,0.5),0.25)'),
  'black-with-flashes': twoColors('white', 'black', 'lt(mod(t,2),1.8)'),
  'black-with-a-flash-each-4-s': twoColors('white', 'black', 'lt(mod(t+2.1,4),3.9)'),
  'two-grays-by-turns': twoColors('0x505050', '0x606060', 'lt(mod(t,2),1)'),
  'fade-to-black-and-back': `${still(PHOTO)},fade=t=out:d=9,fade=t=in:st=11:d=9`,
  'fade-to-black': `${still(PHOTO)},fade=t=out:d=4`,
  'flat-fade-to-black': `${flat('white')},fade=t=out:d=20`,
  'flat-fade-between-colors': `${flat('red')},fade=t=out:color=blue:d=20`,
  'flat-fades-by-turns': `${flat('gray')},hue=b='2*sin(2*PI*t/4)'`,
  slides: slides(
    still(PHOTO),
    still('testsrc=s=640x360'),
    'smptebars=s=640x360:r=30',
    card('navy', 'white', 6),
    still(PHOTO),
  ),
  'flat-slides': slides(...['red', 'green', 'blue', 'gray', 'white'].map(flat)),
  'dark-slides': slides(...['black', '0x282828', 'black', '0x303030', 'black'].map(flat)),
  'title-card': card('black', 'white', 6),
  'small-title-card': card('black', 'white', 1),
  'gray-title-card': card('gray', 'white', 6),
  'title-cards': slides(...[6, 3, 5, 2, 4].map((count) => card('black', 'white', count))),
  'title-cards-on-blue': slides(...[6, 3, 5, 2, 4].map((count) => card('blue', 'white', count))),
  letterbox: 'testsrc2=s=640x272:r=30,pad=640:360:0:44',
  'narrow-letterbox': 'testsrc2=s=640x40:r=30,pad=640:360:0:160',
  'letterbox-photo': `${still('mandelbrot=s=640x272:start_scale=0.02,gblur=1')},pad=640:360:0:44`,
  'dark-scene':
    'mandelbrot=s=640x360:r=30:start_scale=1:end_scale=0.3:end_pts=600,lutyuv=y=16+(val-16)/6:u=128+(val-128)/4:v=128+(val-128)/4',
  'dark-gray': flat('0x1c1c1c'),
  'white-noise': 'nullsrc=s=640x360:r=30,noise=alls=100:allf=t,lutyuv=u=128:v=128',
  // Black pictures that are not flat.
  'night-scene': 'testsrc2=s=640x360:r=30,lutyuv=y=16+(val-16)/11:u=128:v=128',
  'black-noise': `${flat('black')},noise=alls=6:allf=t`,
  'still-camera': `${still(PHOTO)},noise=c0s=5:c0f=t`,
  'still-camera-and-a-hand': `${still(PHOTO)}[p];color=0xc08060:s=40x60:r=30[h];[p][h]overlay=x='300+100*sin(t)':y=200`,
  'hand-on-white': `${flat('white')}[p];color=0xc08060:s=40x60:r=30[h];[p][h]overlay=x='300+100*sin(t)':y=200`,
  'hand-on-black': `${flat('black')}[p];color=0xc08060:s=80x80:r=30[h];[p][h]overlay=x='300+100*sin(t)':y=200`,
};
const LONG_S = 20;
const CBR = ['-maxrate', '2500k', '-bufsize', '2500k'];
const ENCODERS = {
  crf: ['-preset', 'ultrafast', '-crf', '23'],
  cbr: ['-preset', 'veryfast', '-b:v', '2500k', ...CBR, '-x264-params', 'nal-hrd=cbr:filler=1'],
  abr: ['-preset', 'fast', '-b:v', '2500k'],
  latency: ['-preset', 'superfast', '-tune', 'zerolatency', '-b:v', '2500k', ...CBR],
  // Key frames at even distances, and changes of brightness as weights of the prediction.
  even: ['-preset', 'medium', '-b:v', '2500k', ...CBR, '-sc_threshold', '0', '-bf', '2'],
};

/** Name, what ffmpeg says, what the rules say. */
const DETECTORS = [
  ['silence', 'isSilent', 'foundSilent'],
  ['frozen', 'isFrozen', 'foundFrozen'],
  ['black', 'isBlack', 'foundBlack'],
];
/** A rule on the picture sees its end with the next key frame, or after 2 s of motion. */
const END_SLACK_S = 3;

const folder = mkdtempSync(join(tmpdir(), 'detectors-'));
try {
  report(chosenFiles().map(compare));
} finally {
  rmSync(folder, { recursive: true });
}

function chosenFiles() {
  const [first, ...others] = process.argv.slice(2);
  if (first === undefined) return [...makeClips(), ...makePictureClips('')];
  return first === '--only' ? makePictureClips(others[0] ?? '') : [first, ...others];
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

function makePictureClips(text) {
  const clips = [
    ...Object.entries(PICTURES).flatMap(([name, picture]) => PICTURE_S.map((seconds) => [name, picture, seconds])),
    ...Object.entries(LONG_PICTURES).map(([name, picture]) => [name, picture, LONG_S]),
  ];
  const chosen = clips.filter(([name]) => name.includes(text));
  return chosen.flatMap(([name, picture, seconds]) =>
    Object.entries(ENCODERS).map(([encoder, options]) =>
      makePictureClip(`picture-${name}-${seconds}-${encoder}`, picture, seconds, options),
    ),
  );
}

function makePictureClip(name, picture, seconds, options) {
  const file = join(folder, `${name}.flv`);
  const motion = 'testsrc2=s=640x360:r=30:d=6,format=yuv420p,setsar=1';
  const middle = `${picture},trim=duration=${seconds},setpts=PTS-STARTPTS,format=yuv420p,setsar=1`;
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
  const black = spans(stderr, /black_start:([\d.]+) black_end:([\d.]+)/g);
  const frozen = spans(stderr, /freeze_start: ([\d.]+)(?:[\s\S]*?freeze_end: ([\d.]+))?/g)
    .flatMap((span) => without(span, black))
    .filter(({ from, to }) => to - from >= FROZEN_S);
  return {
    name: basename(file),
    isSilent: stderr.includes('silence_duration') || stderr.includes('silence_start'),
    foundSilent: codes.includes(6801),
    isFrozen: frozen.length > 0,
    foundFrozen: codes.includes(6811),
    isBlack: black.length > 0,
    foundBlack: codes.includes(6812),
    longer: [...longer(checked.errors, 6811, frozen), ...longer(checked.errors, 6812, black)],
    others: codes.filter((code) => code > 6801 && code < 6900 && code !== 6811 && code !== 6812),
    lufs: Number(/I:\s+(-?[\d.]+) LUFS/.exec(summary)?.[1]),
    foundLufs: checked.stream?.loudnessLufs,
  };
}

function spans(stderr, pattern) {
  const [, hours, minutes, seconds] = /Duration: (\d+):(\d+):([\d.]+)/.exec(stderr) ?? [];
  const endS = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return [...stderr.matchAll(pattern)].map(([, from, to = endS]) => ({ from: Number(from), to: Number(to) }));
}

/** A black picture is not reported as frozen too. */
function without(span, black) {
  let parts = [span];
  for (const { from, to } of black) {
    parts = parts.flatMap((part) => [
      { from: part.from, to: Math.min(part.to, from) },
      { from: Math.max(part.from, to), to: part.to },
    ]);
    parts = parts.filter((part) => part.to > part.from);
  }
  return parts;
}

/** What a record says that lasts longer than what ffmpeg found. */
function longer(records, code, found) {
  const record = records.find(({ error_code }) => error_code === code);
  if (record === undefined || found.length === 0) return [];
  const longest = Math.max(...found.map(({ from, to }) => to - from));
  const ends = Math.max(...found.map(({ to }) => to));
  const texts = [];
  if (record.worst / 1000 > longest + END_SLACK_S) texts.push(`${code} lasts ${record.worst / 1000} s, not ${longest}`);
  const clearedS = (record.cleared_stream_time_ms ?? 0) / 1000;
  if (clearedS > ends + END_SLACK_S) texts.push(`${code} ends at ${clearedS} s, not ${ends}`);
  return texts;
}

function report(rows) {
  for (const row of rows) {
    const wrong = DETECTORS.filter(([, is, found]) => row[is] !== row[found]);
    const alarms = wrong.map(([name, , found]) => (row[found] ? ` FALSE ALARM ${name}` : ` MISSED ${name}`));
    const verdict = [...alarms, ...row.longer.map((text) => ` TOO LONG ${text}`)].join('');
    const seen = DETECTORS.map(([name, is, found]) => `${name} ${row[is]}/${row[found]}`).join(', ');
    console.log(`${row.name}:${verdict} ${seen}, ${row.lufs}/${row.foundLufs} LUFS, others [${row.others}]`);
  }
  for (const [name, is, found] of DETECTORS) {
    const raised = rows.filter((row) => row[found]);
    const both = raised.filter((row) => row[is]).length;
    const all = rows.filter((row) => row[is]).length;
    console.log(`${name}: precision ${both}/${raised.length}, recall ${both}/${all}, clips ${rows.length}`);
  }
  console.log(`too long: ${rows.filter((row) => row.longer.length > 0).length}`);
  const apart = rows
    .filter(({ lufs, foundLufs }) => lufs > -70 && foundLufs !== undefined)
    .map(({ lufs, foundLufs }) => Math.abs(lufs - foundLufs))
    .sort((a, b) => a - b);
  const at = (share) => apart[Math.min(apart.length - 1, Math.floor(share * apart.length))]?.toFixed(2);
  console.log(`loudness: median ${at(0.5)} LU, 95th percentile ${at(0.95)} LU, most ${at(1)} LU`);
}

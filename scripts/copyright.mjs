/**
 * Measures the copyright detector on sound that it makes by recipe. Nothing is downloaded.
 *
 *   npm run copyright                    # hits and delays under codecs, level, EQ, noise, tempo, pitch and talk
 *   npm run copyright -- unrelated 40 100 [index [sampled]] # false matches: hours of stream against hours of references; resumes
 *   npm run copyright -- keys 100 [COPIES] # recall and time of the inverted index with the prints that `unrelated` kept
 *   npm run copyright -- delay 12 3      # from the song in a broadcast over RTMPS to its record by GET; 3 at a time
 *   npm run copyright -- load 80 40      # so many broadcasts of so many owners at once, with the metrics
 *   npm run copyright -- cost 20         # processor time of samples, and streams of a core
 *   npm run copyright -- index 1000      # memory and query time of an index of so many hours
 *
 * Prints of `unrelated` are kept in the folder AIRLOCK_COPYRIGHT_PRINTS (default: copyright-prints in the temporary folder).
 */
import { spawnSync } from 'node:child_process';
import { INDEX, MATCH, PRINT } from '../src/copyright/limits.js';
import { PrintIndex } from '../src/copyright/print-index.js';
import { StreamMatcher } from '../src/copyright/stream-matcher.js';
import { coded, printFrom, printOf } from '../test/support/chromaprint.js';
import { seededRandom } from '../test/support/random.js';
import { SOUND_RATE, song, talk } from '../test/support/sounds.js';
import { cost } from './copyright/cost.mjs';
import { delay } from './copyright/delay.mjs';
import { keys } from './copyright/keys.mjs';
import { load } from './copyright/load.mjs';
import { unrelated } from './copyright/unrelated.mjs';

const SONGS = 12;
const SONG_S = 60;
const TALK_S = 10;
const CLIP_S = 35;
const AAC = (kbps) => ['-c:a', 'aac', '-b:a', `${kbps}k`];

const CHANGES = [
  ['AAC 128 kbps', AAC(128)],
  ['AAC 96 kbps', AAC(96)],
  ['AAC 64 kbps', AAC(64)],
  ['MP3 32 kbps', ['-c:a', 'libmp3lame', '-b:a', '32k']],
  ['level -20 dB, AAC 128', AAC(128), 'volume=-20dB'],
  ['bass +8 dB, treble -6 dB', AAC(128), 'bass=g=8,treble=g=-6'],
  ['bass -8 dB, treble +6 dB', AAC(128), 'bass=g=-8,treble=g=6'],
  ['telephone band', AAC(128), 'highpass=f=300,lowpass=f=3400'],
  ['pink noise, 20 dB below', AAC(128), 'noise:0.1'],
  ['pink noise, 10 dB below', AAC(128), 'noise:0.316'],
  ['tempo +2 %', AAC(128), 'atempo=1.02'],
  ['tempo -2 %', AAC(128), 'atempo=0.98'],
  ['tempo +5 %', AAC(128), 'atempo=1.05'],
  ['pitch +1 %', AAC(128), `asetrate=${Math.round(SOUND_RATE * 1.01)},aresample=${SOUND_RATE}`],
  ['pitch +3 %', AAC(128), `asetrate=${Math.round(SOUND_RATE * 1.03)},aresample=${SOUND_RATE}`],
  ['talk 6 dB below the song', AAC(128), 'talk:0.5'],
  ['talk as loud as the song', AAC(128), 'talk:1'],
  ['talk 6 dB above the song', AAC(128), 'talk:2'],
];

const reference = (videoId, ownerId = 'owner') => ({
  videoId,
  ownerId,
  policy: 'monitor',
  excluded: [],
  allowedPages: [],
});
const seconds = (from, to) => [2 * Math.floor(from * SOUND_RATE), 2 * Math.floor(to * SOUND_RATE)];

function* windowsOf(print) {
  for (let from = 0; from + MATCH.windowItems <= print.length; from += MATCH.windowItems) {
    const end = from + MATCH.windowItems;
    const after = print.subarray(end, end + MATCH.windowItems);
    yield { window: print.subarray(from, end), fromMs: from * PRINT.itemMs, from, after };
  }
}

// ---------------------------------------------------------------- hits

/** All changes, or those whose names contain one of the given texts. */
function hits(...wanted) {
  const songs = Array.from({ length: SONGS }, (_, index) => song(index + 1, SONG_S));
  const prints = songs.map((pcm) => printOf(pcm));
  const index = PrintIndex.of(prints.map((print, at) => ({ reference: reference(`song-${at}`), print })));
  console.log(
    '| Change | Songs found | Wrong | Error rate, median (max) | Delay in s, median (max) |\n|---|---|---|---|---|',
  );
  for (const [name, codec, filter = 'anull'] of CHANGES) {
    if (wanted.length > 0 && !wanted.some((each) => name.includes(each))) continue;
    const found = songs.map((pcm, at) => tried(pcm, at, codec, filter, index));
    const good = found.flatMap(({ right }) => (right === undefined ? [] : [right]));
    const wrong = found.reduce((sum, each) => sum + each.wrong, 0);
    const rates = middle(good.map((match) => match.errorRate));
    const delays = middle(good.map((match) => match.delayS));
    console.log(`| ${name} | ${good.length} of ${SONGS} | ${wrong} | ${rates(3)} | ${delays(1)} |`);
  }
}

/** Talk, then a part of the song, changed. The delay is from the start of the song to the sound that confirms it. */
function tried(pcm, at, codec, filter, index) {
  const fromS = 9.37 + at * 0.41;
  const clip = Buffer.from(pcm.subarray(...seconds(fromS, fromS + CLIP_S)));
  const [kind, amount] = filter.split(':');
  if (kind === 'talk') mix(clip, talk(500 + at, CLIP_S), Number(amount));
  if (kind === 'noise') mix(clip, pink(700 + at, CLIP_S), Number(amount));
  const stream = Buffer.concat([talk(900 + at, TALK_S), clip]);
  const sound = coded(stream, codec, kind === 'talk' || kind === 'noise' ? 'anull' : filter);
  const shiftMs = PRINT.itemMs / 2;
  const [print, shifted] = [printFrom(sound, 0), printFrom(sound, shiftMs)];
  const matcher = new StreamMatcher('another');
  let right;
  let wrong = 0;
  const note = (matches, endMs) => {
    for (const match of matches) {
      if (match.reference.videoId !== `song-${at}`) wrong++;
      else right ??= { errorRate: match.errorRate, delayS: (endMs + PRINT.leadMs) / 1000 - TALK_S };
    }
  };
  for (const { window, fromMs, from, after } of windowsOf(print)) {
    const endMs = fromMs + MATCH.windowItems * PRINT.itemMs;
    note(matcher.add(window, fromMs, index), endMs);
    const later = shifted.subarray(from, from + MATCH.windowItems);
    if (matcher.isUnsure) note(matcher.addBetween(later, fromMs + shiftMs, index), endMs + shiftMs);
    // As the tap sends the start of its next sample.
    const items = matcher.neededToMs === undefined ? 0 : Math.ceil((matcher.neededToMs - endMs) / PRINT.itemMs);
    if (items === 0 || items > after.length) continue;
    note(matcher.addBetween(after.subarray(0, items), endMs, index), endMs + items * PRINT.itemMs);
  }
  return { right, wrong };
}

/** Adds `other`, scaled so that its power is that of `pcm` times the square of `amount`. */
function mix(pcm, other, amount) {
  const power = (bytes) => {
    let sum = 0;
    for (let at = 0; at < bytes.length; at += 2) sum += bytes.readInt16LE(at) ** 2;
    return Math.sqrt(sum / (bytes.length / 2));
  };
  const scale = (amount * power(pcm)) / power(other);
  const peak = 1 / (1 + amount);
  for (let at = 0; at + 2 <= Math.min(pcm.length, other.length); at += 2) {
    const value = (pcm.readInt16LE(at) + scale * other.readInt16LE(at)) * peak;
    pcm.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(value))), at);
  }
}

function pink(seed, s) {
  const source = `anoisesrc=c=pink:a=0.5:r=${SOUND_RATE}:d=${s}:seed=${seed}`;
  const args = ['-v', 'error', '-f', 'lavfi', '-i', source, '-ac', '1', '-f', 's16le', 'pipe:1'];
  return spawnSync('ffmpeg', args, { maxBuffer: 1 << 28 }).stdout;
}

function middle(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (digits) =>
    sorted.length === 0 ? '-' : `${sorted[sorted.length >> 1].toFixed(digits)} (${sorted.at(-1).toFixed(digits)})`;
}

// ---------------------------------------------------------------- index

/** Random items: memory and the cost of the search do not depend on what they are, the length of lists of keys does. */
function index(hours) {
  const random = seededRandom(7);
  const length = Math.round((hours * 3_600_000) / PRINT.itemMs / 100);
  const indexed = Array.from({ length: 100 }, (_, at) => ({
    reference: reference(`r${at}`),
    print: Uint32Array.from({ length }, () => random() * 2 ** 32),
  }));
  const built = process.cpuUsage().user;
  const made = PrintIndex.of(indexed, { ...INDEX, scannedItems: 0, itemsMax: Number.POSITIVE_INFINITY });
  const buildS = (process.cpuUsage().user - built) / 1e6;
  const queries = 200;
  const start = process.cpuUsage().user;
  let found = 0;
  for (let query = 0; query < queries; query++) {
    const at = Math.floor(random() * (length - MATCH.windowItems));
    const window = indexed[query % 100].print.slice(at, at + MATCH.windowItems);
    for (let item = 0; item < window.length; item++) {
      for (let bit = 0; bit < 32; bit++) if (random() < 0.08) window[item] ^= 1 << bit;
    }
    found += made.find(window, 'another').filter((hit) => hit.atItem === at).length;
  }
  const ms = (process.cpuUsage().user - start) / 1000 / queries;
  const megabytes = Math.round(made.bytes / 1e6);
  console.log(
    `${hours} h: built in ${buildS.toFixed(1)} s, ${megabytes} MB, ${ms.toFixed(2)} ms a window, ${found} of ${queries} found at 8 % errors`,
  );
}

const [what = 'hits', ...given] = process.argv.slice(2);
const parts = { hits, unrelated, keys, index, cost, delay, load };
const part = Object.hasOwn(parts, what) ? parts[what] : undefined;
if (part === undefined) throw new Error(`there is no part ${what}; there are ${Object.keys(parts).join(', ')}`);
const DEFAULTS = {
  unrelated: [40, 100],
  keys: [100],
  index: [1000],
  cost: [20],
  delay: [12, 3],
  load: [80, 40],
  hits: [],
};
part(
  ...(given.length === 0 ? DEFAULTS[what] : given.map((each) => (Number.isNaN(Number(each)) ? each : Number(each)))),
);

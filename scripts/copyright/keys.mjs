/** Recall of the inverted index with the keys of real prints: those that `unrelated` has kept. */
import { existsSync, readFileSync } from 'node:fs';
import { INDEX, MATCH } from '../../src/copyright/limits.js';
import { PrintIndex } from '../../src/copyright/print-index.js';
import { parsePrint } from '../../src/copyright/prints.js';
import { printAfter } from '../../test/support/chromaprint.js';
import { MUSIC_RATE, music } from './music.mjs';
import { printFile, REFERENCE_S, referenceOf } from './unrelated.mjs';

const SONGS = 44;
const AAC = ['-c:a', 'aac', '-b:a', '64k'];
const CHANGES = [
  ['AAC 64 kbps', 'anull'],
  ['bass +8 dB, treble -6 dB', 'bass=g=8,treble=g=-6'],
  ['telephone band', 'highpass=f=300,lowpass=f=3400'],
];

/**
 * `copies`: how often each print is in the index, to measure an index larger than the kept prints. `places` and `compared`:
 * how many are looked up and compared per window.
 */
export function keys(hours = 100, copies = 1, places = INDEX.placesMax, compared = INDEX.comparedMax) {
  const indexed = [];
  const count = Math.round((hours * 3600) / REFERENCE_S);
  for (let n = 0; n < count && existsSync(printFile(`reference-${n}`)); n++) {
    const print = parsePrint(readFileSync(printFile(`reference-${n}`)));
    for (let copy = 0; copy < copies; copy++) indexed.push({ reference: referenceOf(`r${n}.${copy}`), print });
  }
  const all = Number.POSITIVE_INFINITY;
  const limits = { itemsMax: all, placesMax: places, comparedMax: compared };
  const inverted = PrintIndex.of(indexed, { ...limits, scannedItems: 0 });
  // Too slow for more.
  const scanned = copies > 1 ? undefined : PrintIndex.of(indexed, { ...limits, scannedItems: all });
  const megabytes = Math.round(inverted.bytes / 1e6);
  console.log(`${(inverted.lengthMs / 3_600_000).toFixed(0)} h of real prints, ${megabytes} MB`);
  console.log(
    '| Change | Windows | Found by the index | Found by every place | One window, index: median (99 of 100, max) | Every place |\n|---|---|---|---|---|---|',
  );
  for (const [name, filter] of CHANGES) console.log(measured(name, filter, inverted, scanned));
}

function measured(name, filter, inverted, scanned) {
  const found = { inverted: 0, scanned: 0 };
  const spent = { inverted: [], scanned: [] };
  let windows = 0;
  for (let song = 0; song < SONGS; song++) {
    const print = printAfter(music(song, REFERENCE_S), AAC, filter, MUSIC_RATE);
    for (let from = 0; from + MATCH.windowItems <= print.length; from += 4 * MATCH.windowItems) {
      const window = print.subarray(from, from + MATCH.windowItems);
      windows++;
      const [hits, ms] = timed(inverted, window);
      spent.inverted.push(ms);
      if (isFound(hits, song)) found.inverted++;
      if (scanned === undefined) continue;
      const [all, scanMs] = timed(scanned, window);
      spent.scanned.push(scanMs);
      if (isFound(all, song)) found.scanned++;
    }
  }
  const sorted = spent.inverted.sort((a, b) => a - b);
  const part = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(2);
  const mean = spent.scanned.reduce((sum, value) => sum + value, 0) / spent.scanned.length;
  const times = `${part(0.5)} ms (${part(0.99)}, ${part(1)}) | ${scanned === undefined ? '-' : `${mean.toFixed(0)} ms`}`;
  return `| ${name} | ${windows} | ${found.inverted} | ${scanned === undefined ? '-' : found.scanned} | ${times} |`;
}

const isFound = (hits, song) => hits.some(({ reference }) => reference.videoId.startsWith(`r${song}.`));

/** The shortest of three: other work of the machine interrupts the others. */
function timed(index, window) {
  let hits = [];
  const times = [0, 1, 2].map(() => {
    const start = performance.now();
    hits = index.find(window, 'another');
    return performance.now() - start;
  });
  return [hits, Math.min(...times)];
}

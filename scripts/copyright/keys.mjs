/** Recall of the inverted index with the keys of real prints: those that `unrelated` has kept. */
import { existsSync, readFileSync } from 'node:fs';
import { MATCH } from '../../src/copyright/limits.js';
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

/** `copies`: how often each print is in the index, to measure an index larger than the kept prints. */
export function keys(hours = 100, copies = 1) {
  const indexed = [];
  const count = Math.round((hours * 3600) / REFERENCE_S);
  for (let n = 0; n < count && existsSync(printFile(`reference-${n}`)); n++) {
    const print = parsePrint(readFileSync(printFile(`reference-${n}`)));
    for (let copy = 0; copy < copies; copy++) indexed.push({ reference: referenceOf(`r${n}.${copy}`), print });
  }
  const all = Number.POSITIVE_INFINITY;
  const inverted = new PrintIndex(indexed, { scannedItems: 0, itemsMax: all });
  const scanned = new PrintIndex(indexed, { scannedItems: all, itemsMax: all });
  const megabytes = Math.round(inverted.bytes / 1e6);
  console.log(`${(inverted.lengthMs / 3_600_000).toFixed(0)} h of real prints, ${megabytes} MB`);
  console.log(
    '| Change | Windows | Found by the index | Found by a scan | One window, index (max) | scan |\n|---|---|---|---|---|---|',
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
      for (const [kind, index] of Object.entries({ inverted, scanned })) {
        const start = process.cpuUsage().user;
        const hits = index.find(window, 'another');
        spent[kind].push((process.cpuUsage().user - start) / 1000);
        if (hits.some(({ reference }) => reference.videoId.startsWith(`r${song}.`))) found[kind]++;
      }
    }
  }
  const mean = (values) => (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2);
  const max = Math.max(...spent.inverted).toFixed(1);
  const times = `${mean(spent.inverted)} ms (${max}) | ${mean(spent.scanned)} ms`;
  return `| ${name} | ${windows} | ${found.inverted} | ${found.scanned} | ${times} |`;
}

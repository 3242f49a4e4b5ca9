/**
 * False matches: hours of stream against hours of references that have nothing in common. Each piece of sound is made once,
 * printed and kept, and so is the result of each stream: a run that is stopped goes on where it was.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INDEX, MATCH, PRINT, STREAM } from '../../src/copyright/limits.js';
import { PrintIndex } from '../../src/copyright/print-index.js';
import { parsePrint, printBytes } from '../../src/copyright/prints.js';
import { StreamMatcher } from '../../src/copyright/stream-matcher.js';
import { MUSIC_RATE, music } from './music.mjs';
import { plainPrint, sampledPrint, sampledWindows } from './sampled.mjs';

export const REFERENCE_S = 180;
const SHOW_S = 600;
/** Seeds of streams; those of references start at 0. */
const _STREAM_SEEDS = 1_000_000;
const SAID_EVERY = 100;

const folder = process.env.AIRLOCK_COPYRIGHT_PRINTS ?? join(tmpdir(), 'copyright-prints');

export const printFile = (name) => join(folder, `${name}.v${PRINT.version}`);

export const referenceOf = (videoId) => ({
  videoId,
  ownerId: 'owner',
  policy: 'monitor',
  excluded: [],
  allowedPages: [],
});

/** A file that is complete or missing. */
function kept(name, make) {
  const path = printFile(name);
  if (!existsSync(path)) put(path, make());
  return readFileSync(path);
}

function put(path, bytes) {
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}

/** The windows of a stream, each with one half a distance of items later: of its sound, or of samples as those of a broadcast. */
async function windowsOf(n, source) {
  const path = printFile(`${source}-${n}`);
  if (!existsSync(path)) put(path, await (source === 'sampled' ? sampledPrint : plainPrint)(show(n), MUSIC_RATE, n));
  return [...sampledWindows(parsePrint(readFileSync(path)))];
}

function references(hours) {
  const count = Math.round((hours * 3600) / REFERENCE_S);
  return Array.from({ length: count }, (_, n) => {
    if (n % SAID_EVERY === 0) console.error(`references: ${n} of ${count}`);
    const print = kept(`reference-${n}`, () => printBytes(printOf(music(n, REFERENCE_S), 'anull', MUSIC_RATE)));
    return { reference: referenceOf(`r${n}`), print: parsePrint(print) };
  });
}

/** Of the rules by which a result was found: results of other rules are found again. */
const RULES = createHash('sha256')
  .update(JSON.stringify([PRINT, MATCH, INDEX, STREAM]))
  .digest('hex')
  .slice(0, 8);

function compared(windows, index) {
  const matcher = new StreamMatcher('another');
  const result = { windows: 0, alike: 0, matches: [], lowest: 1 };
  for (const { window, fromMs, shifted } of windows) {
    const hits = index.find(window, 'another');
    result.windows++;
    if (hits.length > 0) result.alike++;
    for (const { errorRate } of hits) result.lowest = Math.min(result.lowest, errorRate);
    const matches = matcher.add(window, fromMs, index);
    if (matcher.isUnsure) matches.push(...matcher.addBetween(shifted.window, shifted.fromMs, index));
    for (const { reference, errorRate, streamMs } of matches) {
      result.matches.push(`${reference.videoId} at ${streamMs} ms, error rate ${errorRate}`);
    }
  }
  return result;
}

/**
 * `scan` compares every place, which finds more than the inverted index. `sampled`: the sound of a stream is coded, and goes
 * through the tap and the kept decoder of a broadcast.
 */
export async function unrelated(streamHours, referenceHours, how = 'scan', source = 'plain') {
  mkdirSync(folder, { recursive: true });
  const limits =
    how === 'scan'
      ? { ...INDEX, scannedItems: Number.POSITIVE_INFINITY, itemsMax: Number.POSITIVE_INFINITY }
      : undefined;
  const index = PrintIndex.of(references(referenceHours), limits);
  const total = { windows: 0, alike: 0, matches: 0, lowest: 1 };
  const count = Math.round((streamHours * 3600) / SHOW_S);
  for (let n = 0; n < count; n++) {
    if (n % 10 === 0) console.error(`streams: ${n} of ${count}`);
    const stream = await windowsOf(n, source);
    const result = `result-${source}-${n}-${how}-${referenceHours}-${RULES}`;
    const made = kept(result, () => JSON.stringify(compared(stream, index)));
    const { windows, alike, matches, lowest } = JSON.parse(made);
    total.windows += windows;
    total.alike += alike;
    total.matches += matches.length;
    for (const match of matches) console.log(`stream ${n}: ${match}`);
    total.lowest = Math.min(total.lowest, lowest);
  }
  const hours = ((total.windows * MATCH.windowItems * PRINT.itemMs) / 3_600_000).toFixed(1);
  const against = (index.lengthMs / 3_600_000).toFixed(1);
  const lowest = total.lowest < 1 ? `, the lowest error rate ${total.lowest.toFixed(3)}` : '';
  console.log(
    `${hours} h of stream against ${against} h of references (${how}, ${source}): ${total.windows} windows, ` +
      `${total.alike} below the bound alone${lowest}, ${total.matches} matches`,
  );
}

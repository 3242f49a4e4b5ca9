/** Matches of sound: real prints of synthesized songs, made by ffmpeg. */
import { INDEX, MATCH, PRINT, STREAM } from '../../../src/copyright/limits.js';
import type { Reference } from '../../../src/copyright/print-index.js';
import { PrintIndex } from '../../../src/copyright/print-index.js';
import { distinctiveItems, type Print } from '../../../src/copyright/prints.js';
import { type CopyrightMatch, matchesOf, StreamMatcher } from '../../../src/copyright/stream-matcher.js';
import { printAfter, printOf } from '../../support/chromaprint.js';
import { seededRandom } from '../../support/random.js';
import { SOUND_RATE, song, talk } from '../../support/sounds.js';

const reference = (videoId: string): Reference => ({
  videoId,
  ownerId: 'owner',
  policy: 'monitor',
  excluded: [],
  allowedPages: [],
});

const songs = [song(11, 30), song(12, 30)];
const prints = songs.map((pcm) => printOf(pcm));
const index = PrintIndex.of(prints.map((print, at) => ({ reference: reference(`song-${at}`), print })));
const speech = talk(13, 20);

const seconds = (from: number, to: number) => [from, to].map((s) => 2 * Math.floor(s * SOUND_RATE));
const clip = (pcm: Buffer, from: number, to: number): Buffer => pcm.subarray(...seconds(from, to));

function matchesIn(print: Print): CopyrightMatch[] {
  const matcher = new StreamMatcher('another');
  const found: CopyrightMatch[] = [];
  for (let from = 0; from + MATCH.windowItems <= print.length; from += MATCH.windowItems) {
    found.push(...matcher.add(print.subarray(from, from + MATCH.windowItems), from * PRINT.itemMs, index));
  }
  return found;
}

test('finds a song in talk, in low-rate AAC at a lower level, where it is in both', () => {
  const stream = Buffer.concat([clip(speech, 0, 10), clip(songs[0] as Buffer, 7, 30)]);
  const found = matchesIn(printAfter(stream, ['-c:a', 'aac', '-b:a', '64k'], 'volume=-12dB'));
  expect(found.map((match) => match.reference.videoId)).toEqual(['song-0']);
  const match = found[0] as CopyrightMatch;
  // The song starts 10 s into the stream, at its 7th second.
  expect(Math.abs(match.offsetMs - match.streamMs + 3_000)).toBeLessThan(500);
  expect(match.errorRate).toBeLessThanOrEqual(MATCH.errorRateMax);
  // Confirmed within 20 s of sound.
  expect(match.streamMs + match.lengthMs - 10_000).toBeLessThan(20_000);
});

test('follows a song whose tempo was changed by 2 %', () => {
  expect(matchesIn(printOf(songs[1] as Buffer, 'atempo=1.02')).map((match) => match.reference.videoId)).toEqual([
    'song-1',
  ]);
});

test('reports the length of each match of a file', () => {
  const stream = Buffer.concat([clip(songs[1] as Buffer, 0, 25), speech, clip(songs[0] as Buffer, 5, 30)]);
  const print = printOf(stream);
  const steps = matchesOf(print, 'another', index);
  let count = 0;
  let step = steps.next();
  // One step for each window: other work is done between them.
  for (; step.done !== true; step = steps.next()) count++;
  expect(count).toBe(Math.floor(print.length / MATCH.windowItems));
  const found = step.value;
  expect(found.map((match) => match.reference.videoId)).toEqual(['song-1', 'song-0']);
  for (const { lengthMs } of found) expect(lengthMs).toBeGreaterThan(18_000);
});

test('finds nothing in speech, another song, silence or a tone', () => {
  expect(matchesIn(printOf(Buffer.concat([speech, song(99, 15)])))).toEqual([]);
  expect(distinctiveItems(printOf(Buffer.alloc(2 * 20 * SOUND_RATE)))).toBe(0);
});

test('one window is no match, nor is the same window twice', () => {
  const window = (prints[0] as Print).subarray(50, 50 + MATCH.windowItems);
  const matcher = new StreamMatcher('another');
  expect(matcher.add(window, 0, index)).toEqual([]);
  expect(matcher.add(window, 0, index)).toEqual([]);
  expect(matcher.add(window, 6_000, index)).toEqual([]);
});

test('two windows with many errors are no match, four are', () => {
  const print = (prints[0] as Print).slice(0, 4 * MATCH.windowItems);
  // Four bits of each item.
  for (let at = 0; at < print.length; at++) print[at] = (print[at] ?? 0) ^ 0x80088080;
  const matcher = new StreamMatcher('another');
  const found = (windows: number): number =>
    matcher.add(print.subarray(0, windows * MATCH.windowItems), 0, index).length;
  expect(found(2)).toBe(0);
  expect(found(4)).toBe(1);
});

/** Sound that does not resemble itself. */
function randomPrint(windows: number): Print {
  const random = seededRandom(17);
  return Uint32Array.from({ length: windows * MATCH.windowItems }, () => random() * 2 ** 32);
}

test('four windows with more errors match what is monitored, and never what is blocked', () => {
  const print = randomPrint(6);
  // Five or six bits of each item: 17 %.
  const changed = print.map((item, at) => item ^ (at % 2 ? 0x84088080 : 0x84088084));
  const found = (policy: Reference['policy'], windows: number): number[] => {
    const entries = [{ reference: { ...reference('random'), policy }, print }];
    const part = changed.subarray(0, windows * MATCH.windowItems);
    return new StreamMatcher('another').add(part, 0, PrintIndex.of(entries)).map(({ errorRate }) => errorRate);
  };
  expect(found('monitor', 3)).toEqual([]);
  expect(found('monitor', 4)).toHaveLength(1);
  expect(found('monitor', 4)[0]).toBeGreaterThan(MATCH.errorRateMax);
  expect(found('block', 6)).toEqual([]);
});

test('a match goes on after sound that was not searched, and ends after sound without it', () => {
  const print = randomPrint(60);
  const long = PrintIndex.of([{ reference: reference('random'), print }]);
  const matcher = new StreamMatcher('another');
  const turn = (window: number, of = print): number => {
    const from = window * MATCH.windowItems;
    return matcher.add(of.subarray(from, from + 4 * MATCH.windowItems), from * PRINT.itemMs, long).length;
  };
  expect([turn(0), turn(20), turn(40)]).toEqual([1, 0, 0]);
  expect(matcher.running()).toHaveLength(1);
  const silence = new Uint32Array(print.length);
  expect([turn(44, silence), turn(48, silence)]).toEqual([0, 0]);
  expect(matcher.running()).toEqual([]);
});

test('a match that ended is reported again when it returns', () => {
  const matcher = new StreamMatcher('another');
  const twice = (fromMs: number): number => {
    const print = (prints[0] as Print).subarray(0, 2 * MATCH.windowItems);
    return matcher.add(print, fromMs, index).length;
  };
  expect([twice(0), twice(60_000)]).toEqual([1, 1]);
});

test('a stream that matches hundreds of references reports a few, and follows a bounded number', () => {
  const print = prints[0] as Print;
  const copies = Array.from({ length: 300 }, (_, at) => ({ reference: reference(`copy-${at}`), print }));
  const many = PrintIndex.of(copies);
  const matcher = new StreamMatcher('another');
  let found = 0;
  for (let turn = 0; turn < 20; turn++) {
    // Not at the times of the song, so that each turn opens candidates of its own.
    found += matcher.add(print.subarray(0, 2 * MATCH.windowItems), turn * 12_500, many).length;
    expect(matcher.running().length).toBeLessThanOrEqual(STREAM.candidatesMax);
  }
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThanOrEqual(20 * INDEX.hitsMax);
});

/** `startItems`: where the content starts in its first window. */
function joinedStream(print: Print, startItems: number): Print {
  const stream = new Uint32Array(startItems + print.length);
  const random = seededRandom(23);
  for (let at = 0; at < startItems; at++) stream[at] = random() * 2 ** 32;
  stream.set(print, startItems);
  return stream;
}

test('two windows of content confirm a match, wherever they start', () => {
  const print = randomPrint(8);
  const references = PrintIndex.of([{ reference: reference('random'), print }]);
  for (const startItems of [1, 10, 30, 42]) {
    const stream = joinedStream(print, startItems);
    const matcher = new StreamMatcher('another');
    const added = (from: number) =>
      matcher.add(stream.subarray(from, from + MATCH.windowItems), from * PRINT.itemMs, references);
    const end = 2 * MATCH.windowItems;
    expect([...added(0), ...added(MATCH.windowItems)]).toEqual([]);
    // A few items of other sound before the content are within the errors of a sure window.
    const needed = Math.round((matcher.neededToMs ?? 0) / PRINT.itemMs);
    expect(needed).toBeLessThanOrEqual(startItems + end);
    expect(needed).toBeGreaterThan(startItems + end - 8);
    const part = (to: number) => matcher.addBetween(stream.subarray(end, to), end * PRINT.itemMs, references);
    expect(part(needed - 1)).toEqual([]);
    const [match] = part(needed);
    expect(match?.streamMs).toBe(Math.round(match?.offsetMs ?? 0) + Math.round(startItems * PRINT.itemMs));
    // It is reported once.
    expect(added(end)).toEqual([]);
  }
});

test('items between those of a print confirm what has too many errors in it', () => {
  const print = randomPrint(4);
  const references = PrintIndex.of([{ reference: reference('random'), print }]);
  // Four bits of each item.
  const noisy = print.map((item) => item ^ 0x80088080);
  const matcher = new StreamMatcher('another');
  const window = (of: Print, n: number): Print => of.subarray(n * MATCH.windowItems, (n + 1) * MATCH.windowItems);
  const timeOf = (n: number): number => n * MATCH.windowItems * PRINT.itemMs;
  const half = PRINT.itemMs / 2;
  for (const [n, count] of [
    [0, 0],
    [1, 1],
  ] as const) {
    expect(matcher.add(window(noisy, n), timeOf(n), references)).toEqual([]);
    expect(matcher.isUnsure).toBe(true);
    expect(matcher.addBetween(window(print, n), timeOf(n) + half, references)).toHaveLength(count);
    // The same again counts once.
    expect(matcher.addBetween(window(print, n), timeOf(n) + half, references)).toEqual([]);
    expect(matcher.isUnsure).toBe(false);
  }
});

test('sound that follows a window of others confirms nothing where an older reference of the owner has it', () => {
  const [print, own] = [randomPrint(2), randomPrint(6).slice(2 * MATCH.windowItems)];
  const both = Uint32Array.from([...print, ...own]);
  const references = PrintIndex.of([
    { reference: { ...reference('own'), ownerId: 'another' }, print: own },
    { reference: reference('later'), print: both },
  ]);
  const start = MATCH.windowItems;
  const matcher = new StreamMatcher('another');
  expect(matcher.add(both.subarray(start), start * PRINT.itemMs, references)).toEqual([]);
  expect(new StreamMatcher('third').add(both.subarray(start), start * PRINT.itemMs, references)).toHaveLength(2);
});

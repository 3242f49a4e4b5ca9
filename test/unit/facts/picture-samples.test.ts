/** Key frames that are not flat, of which a sample is decoded where their corner may be black. */
import { PictureFacts } from '../../../src/facts/video/picture-facts.js';
import { LIVE_MEASURES } from '../../../src/judge/measures.js';
import { TagParser } from '../../../src/media/flv/tag-parser.js';
import { DEAD_PICTURE } from '../../../src/spec/tolerances.js';

const GROUP_MS = 2_000;
const FRAME_MS = 100;
const DARK = 20;
const LIT = 90;
const BLACK = new Uint8Array(160 * 90).fill(10);
const GRAY = new Uint8Array(160 * 90).fill(90);

interface Given {
  readonly forMs: number;
  readonly corner: (atMs: number) => number;
  /** `undefined`: there is no decoder. */
  readonly picture: ((atMs: number) => Uint8Array) | undefined;
  /** From the question to the answer. */
  readonly lateMs?: number;
}

/** Noise, coded alike whether it is bright or dark. */
function run({ forMs, corner, picture, lateMs = 0 }: Given) {
  const facts = new PictureFacts(LIVE_MEASURES.analysis.picture);
  const packet = Object.assign(new TagParser({ analysis: true }).video, { isCabac: true, qp: 20 });
  const answers: { number: number; atMs: number; gray: Uint8Array }[] = [];
  const black: number[] = [];
  let decoded = 0;
  for (let atMs = 0; atMs <= forMs; atMs += FRAME_MS) {
    const idr = atMs % GROUP_MS === 0;
    Object.assign(packet, { idr, sliceType: idr ? 2 : 0, sliceBits: idr ? 300 : 80, cornerLuma: corner(atMs) });
    facts.frame(packet, 1, atMs);
    const number = picture === undefined ? 0 : facts.ask();
    if (number !== 0 && picture !== undefined) answers.push({ number, atMs: atMs + lateMs, gray: picture(atMs) });
    while (answers[0] !== undefined && answers[0].atMs <= atMs) {
      const answer = answers.shift();
      if (answer !== undefined) facts.decoded(answer.number, answer.gray);
      decoded++;
    }
    black.push(facts.blackMs);
  }
  return { facts, decoded, blackMs: (atMs: number) => black[atMs / FRAME_MS] };
}

test('black noise is known to be black from its first decoded key frame to the last, up to the first bright corner', () => {
  const isBlack = (atMs: number) => atMs >= 6_000 && atMs < 26_000;
  const { blackMs, facts } = run({
    forMs: 30_000,
    corner: (atMs) => (isBlack(atMs) ? DARK : LIT),
    picture: (atMs) => (isBlack(atMs) ? BLACK : GRAY),
  });
  expect([6_000, 9_000, 12_000, 25_900, 26_000].map(blackMs)).toEqual([0, 2_000, 6_000, 18_000, 0]);
  expect(facts.isLit).toBe(true);
});

test('an answer that comes seconds later counts for the time of its key frame', () => {
  const isBlack = (atMs: number) => atMs >= 6_000 && atMs < 26_000;
  const { blackMs } = run({
    forMs: 30_000,
    corner: (atMs) => (isBlack(atMs) ? DARK : LIT),
    picture: (atMs) => (isBlack(atMs) ? BLACK : GRAY),
    lateMs: 2_500,
  });
  const most = Math.max(...[20_000, 24_000, 25_900].map((atMs) => blackMs(atMs) ?? 0));
  expect(most).toBeGreaterThan(DEAD_PICTURE.blackMs.value);
  expect(most).toBeLessThanOrEqual(20_000);
  expect([26_000, 28_500, 30_000].map(blackMs)).toEqual([0, 0, 0]);
});

test('a dark corner of a bright picture costs ten samples, and then one a minute', () => {
  const { decoded, facts } = run({ forMs: 3_600_000, corner: () => DARK, picture: () => GRAY });
  expect(decoded).toBeGreaterThan(60);
  expect(decoded).toBeLessThanOrEqual(10 + 60);
  expect(facts.isLit).toBe(true);
});

test('corners that come and go cost no more', () => {
  const { decoded } = run({
    forMs: 3_600_000,
    corner: (atMs) => (atMs % 9_000 < 4_000 ? DARK : LIT),
    picture: () => GRAY,
  });
  expect(decoded).toBeLessThanOrEqual(10 + 60);
});

test('a bright corner shows that the picture is not black, and nothing is decoded', () => {
  const { decoded, facts } = run({ forMs: 60_000, corner: () => LIT, picture: () => BLACK });
  expect([decoded, facts.isLit, facts.blackMs]).toEqual([0, true, 0]);
});

test.each([DARK, Number.NaN])('without a decoder, nothing is known of a picture with a corner of %p', (corner) => {
  const { facts } = run({ forMs: 60_000, corner: () => corner, picture: undefined });
  expect([facts.isLit, facts.blackMs, facts.isWanted, facts.isSampleWanted]).toEqual([false, 0, true, true]);
});

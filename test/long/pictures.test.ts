/**
 * The pictures of docs/images show the pages as they are, and those of kept-pictures the same pages on a phone and in the dark theme:
 * they are made anew from a real run and compared by blocks of 8 by 8 pixels. What moves (pictures, charts, numbers) is left out. When it fails: look at the pages, then `npm run screenshots`. Fonts are those of
 * Debian's Chromium; with others every picture differs.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ffmpeg } from '../support/ffmpeg.js';
import { type Area, type PictureDistance, pictureDistance } from '../support/picture-distance.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SHOWN = join(ROOT, 'docs', 'images');
const KEPT = join(import.meta.dirname, 'kept-pictures');

/** Measured: four runs of the same pages differed in 0 to 5 blocks, one heading that was changed on a page in 15 to 51. */
const MAX_BLOCKS = 10;
/** A line of text more: a number that wraps. */
const MAX_HEIGHT_PX = 24;

const picturesIn = (folder: string): readonly string[] => readdirSync(folder).filter((name) => name.endsWith('.png'));
const shown = picturesIn(SHOWN);
const pictures = [...shown, ...picturesIn(KEPT)].sort();
let made = '';
let moving: Readonly<Record<string, readonly Area[]>> = {};

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'airlock-pictures-'));
  await promisify(execFile)('npm', ['run', 'screenshots', '--', made], { cwd: ROOT, timeout: 400_000 });
  moving = JSON.parse(readFileSync(join(made, 'moving.json'), 'utf8'));
}, 420_000);

afterAll(() => rmSync(made, { recursive: true, force: true }));

const keptAs = (name: string): string => join(shown.includes(name) ? SHOWN : KEPT, name);
const distanceTo = (other: string, name: string): Promise<PictureDistance> =>
  pictureDistance(keptAs(name), other, moving[name.replace('.png', '')]);

test.each(pictures)('%s shows its page as it is', async (name) => {
  const { blocks, compared, heightPx } = await distanceTo(join(made, name), name);
  process.stdout.write(`${name}: ${blocks} of ${compared} blocks differ, ${heightPx} px of the height\n`);
  expect(compared).toBeGreaterThan(1_000);
  expect(blocks).toBeLessThanOrEqual(MAX_BLOCKS);
  expect(heightPx).toBeLessThanOrEqual(MAX_HEIGHT_PX);
});

test('every picture has a page', () => {
  expect([...picturesIn(made)].sort()).toEqual(pictures);
});

test.each([
  ['a card that was added on top', 'pad=iw:ih+72:0:72:color=white,crop=iw:ih-72:0:0'],
  ['another theme', 'negate'],
  ['another color of the background', 'lutrgb=b=val-24'],
  ['a link of the navigation that is gone', 'drawbox=x=310:y=10:w=120:h=34:color=white:t=fill'],
])('%s is a difference', async (_what, filter) => {
  const changed = join(made, 'changed.image');
  for (const name of ['dashboard.png', 'videos.png']) {
    await ffmpeg([
      '-y',
      '-i',
      keptAs(name),
      '-vf',
      `format=rgb24,${filter}`,
      '-frames:v',
      '1',
      '-c:v',
      'png',
      '-f',
      'image2',
      changed,
    ]);
    expect((await distanceTo(changed, name)).blocks).toBeGreaterThan(MAX_BLOCKS);
  }
  rmSync(changed);
});

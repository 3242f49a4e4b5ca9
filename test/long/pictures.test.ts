/**
 * The pictures of docs/images show the pages as they are: they are made anew from a real run and compared by blocks of gray, which
 * other fonts, times and numbers change little, and a changed layout much. When it fails: npm run screenshots.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ffmpeg } from '../support/ffmpeg.js';
import { pictureDistance } from '../support/picture-distance.js';

const ROOT = join(import.meta.dirname, '..', '..');
const KEPT = join(ROOT, 'docs', 'images');

/** Two runs of one build differ by less: the test picture moves, lines of charts end elsewhere. */
const MAX_BLOCKS = 0.12;
const MAX_HEIGHT = 0.06;

const pictures = readdirSync(KEPT).filter((name) => name.endsWith('.png'));
let made = '';

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'airlock-pictures-'));
  await promisify(execFile)('npm', ['run', 'screenshots', '--', made], { cwd: ROOT, timeout: 240_000 });
}, 300_000);

afterAll(() => rmSync(made, { recursive: true, force: true }));

test.each(pictures)('%s shows its page as it is', async (name) => {
  const { blocks, height } = await pictureDistance(join(KEPT, name), join(made, name));
  process.stdout.write(
    `${name}: ${(100 * blocks).toFixed(1)} % of the blocks, ${(100 * height).toFixed(1)} % of the height\n`,
  );
  expect({ blocks: blocks < MAX_BLOCKS, height: height < MAX_HEIGHT }).toEqual({ blocks: true, height: true });
});

test('every picture has a page', () => {
  expect(readdirSync(made).sort()).toEqual([...pictures].sort());
});

test.each([
  ['a card that was added on top', 'pad=iw:ih+72:0:72:color=white,crop=iw:ih-72:0:0'],
  ['another theme', 'negate'],
  ['a column that is gone', 'drawbox=x=iw*0.65:y=0:w=iw*0.35:h=ih:color=0xf5f6f8:t=fill'],
])('%s is a difference', async (_what, filter) => {
  const changed = join(made, 'changed.png');
  for (const name of ['dashboard.png', 'dashboard-ended.png']) {
    await ffmpeg(['-y', '-i', join(KEPT, name), '-vf', filter, '-frames:v', '1', changed]);
    expect((await pictureDistance(join(KEPT, name), changed)).blocks).toBeGreaterThan(MAX_BLOCKS);
  }
  rmSync(changed);
});

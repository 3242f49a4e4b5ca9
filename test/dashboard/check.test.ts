/** The page that checks files, in Chromium: as a server has it, and as static files without one. */

import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { Ajv } from 'ajv';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { readHouseText } from '../../src/config/house-text.js';
import { createPages } from '../../src/dashboard/pages.js';
import { validateFile } from '../../src/library/index.js';
import { findTools } from '../../src/probe/tool-paths.js';
import { accessibilityFaults, buildPages, faultsOf, launchBrowser, screenshot } from '../support/browser.js';
import { flvFile } from '../support/flv-writer.js';
import { folderOfFile } from '../support/folders.js';
import { casesNow, inFull } from '../support/in-full.js';
import { makeMedia } from '../support/media-files.js';
import { synthStream } from '../support/synth-stream.js';

const ROOT = join(import.meta.dirname, '../..');
const folder = folderOfFile('airlock-check-');
const FAULTY = join(folder, 'faulty.flv');
const GOOD = join(folder, 'good.flv');

/** The page at both places. */
const places: { server: string; static: string } = { server: '', static: '' };
/** While it is pending, the server does not answer with the code of the worker, so that nothing is judged. */
let held: Promise<void> | undefined;
const servers: Server[] = [];
let pages: Awaited<ReturnType<typeof buildPages>>;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let faults: string[];

beforeAll(async () => {
  const small = { durationMs: 11_000, width: 640, height: 360, videoKbps: 700 };
  writeFileSync(FAULTY, flvFile(synthStream({ ...small, keyFrameIntervalMs: 5_000 })));
  writeFileSync(GOOD, flvFile(synthStream(small)));
  [pages, browser] = await Promise.all([buildPages(), launchBrowser()]);
  const built = join(folder, 'static');
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const config = join(ROOT, 'src/dashboard/web/vite.config.ts');
  execFileSync(process.execPath, [vite, 'build', '--config', config, '--mode', 'check', '--outDir', built], {
    stdio: 'ignore',
  });
  const serve = createPages({ root: pages.root });
  const ofServer = createServer(async (request, response) => {
    if (request.url?.includes('/worker-') === true) await held;
    serve(request, response);
  });
  const ofFiles = createServer((request, response) => {
    const path = request.url === '/tools/check/' ? 'index.html' : request.url?.replace('/tools/check/', '');
    response.setHeader('Content-Type', TYPES[extname(path ?? '')] ?? 'application/octet-stream');
    response.end(readFileSync(join(built, path ?? '')));
  });
  places.server = `${await listening(ofServer)}/check/`;
  places.static = `${await listening(ofFiles)}/tools/check/`;
});

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterAll(async () => {
  await browser.close();
  for (const server of servers) server.close();
  pages.remove();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
  page = await context.newPage();
  faults = faultsOf(page);
});
afterEach(() => context.close());

const choose = (...paths: string[]): Promise<void> => page.getByLabel('Choose files').setInputFiles(paths);
const row = (name: string) => page.getByRole('listitem').filter({ hasText: name }).first();

function hold(): () => void {
  let release: () => void = () => undefined;
  held = new Promise((done) => {
    release = done;
  });
  return release;
}

/** What a fetch from the page and from its workers ends with, and the requests that were seen. */
async function fetches(): Promise<string[]> {
  const ask = `fetch(${JSON.stringify(new URL('/healthz', page.url()).href)}).then(() => 'answered', () => 'refused')`;
  const workers = page.workers();
  expect(workers).toHaveLength(1);
  return Promise.all([page.evaluate<string>(ask), ...workers.map((worker) => worker.evaluate<string>(ask))]);
}

describe.each(['server', 'static'] as const)('from %s', (place) => {
  test('files are judged as the library judges them, shown and saved, and nothing is sent', async () => {
    const requests: string[] = [];
    page.on('request', (request) => {
      const { protocol, pathname } = new URL(request.url());
      if (protocol !== 'blob:') requests.push(`${request.method()} ${pathname}`);
    });
    await page.goto(places[place]);
    await choose(FAULTY, GOOD);
    const result = page.getByRole('article', { name: 'Result of faulty.flv' });
    await result.waitFor();
    await row('good.flv').getByText('All checks pass.').waitFor();
    await result.getByRole('heading', { name: 'Key frames too far apart' }).first().waitFor();
    await result.getByLabel('What to change').getByText('-g 60').waitFor();
    expect(await result.getByRole('img', { name: /^Key frame interval: last 5 s.*failed/ }).count()).toBe(1);
    expect(await result.getByRole('listitem').filter({ hasText: 'Key frames too far apart, 0:04' }).count()).toBe(1);
    await screenshot(page, `check-${place}`);

    const expected = await validateFile(FAULTY, { name: 'faulty.flv' });
    const saved = JSON.parse(await download('Save JSON'));
    expect(saved.files).toEqual(JSON.parse(JSON.stringify([expected])));
    const schema = JSON.parse(readFileSync(join(ROOT, 'docs/validate.schema.json'), 'utf8'));
    const isValid = new Ajv({ strict: false }).compile(schema);
    expect([isValid(saved), isValid.errors]).toEqual([true, null]);
    const html = await download('Save HTML');
    expect(html).toContain('Key frames too far apart');
    expect(html).not.toMatch(/<script|\bsrc=|https?:/);

    await result.getByLabel('Encoder').selectOption('obs');
    await result.getByLabel('What to change').getByText('Keyframe Interval').first().waitFor();
    await row('good.flv').getByRole('button', { name: 'Show the result' }).click();
    await page.getByRole('article', { name: 'Result of good.flv' }).getByText('No findings').waitFor();
    expect(requests.filter((request) => !/^GET \/(tools\/)?(check|dashboard\/assets)\//.test(request))).toEqual([]);
    expect(faults).toEqual([]);
  });

  (place === 'server' ? test : inFull)(
    'files that are meant as uploads are judged by the rules of uploads',
    async () => {
      const upload = makeMedia(join(folder, 'upload.mp4'), { size: '240x240', sampleRate: 44_100 });
      await page.goto(places[place]);
      const [words, unread] = [join(folder, 'words.mp4'), makeMedia(join(folder, 'unread.avi'))];
      writeFileSync(words, 'just words');
      await choose(FAULTY, upload, words, unread);
      await row('upload.mp4').getByText(/error/).waitFor();
      await page.getByLabel('Meant as').selectOption({ label: 'An upload' });
      await row('faulty.flv').getByText('All checks pass.').waitFor();
      await row('upload.mp4').getByText('2 errors').waitFor();
      await row('words.mp4').getByText('Cannot be read: unknown container format.', { exact: true }).waitFor();
      await row('unread.avi').getByText('Cannot be read: there is no reader for avi here').waitFor();
      await row('upload.mp4').getByRole('button', { name: 'Show the result' }).click();
      const result = page.getByRole('article', { name: 'Result of upload.mp4' });
      await result.getByRole('heading', { name: 'Picture is not 16x9 or 9x16' }).waitFor();
      await result.getByText('Export the audio at a sample rate of 48 kHz.').first().waitFor();
      expect(await result.getByLabel('Encoder').count()).toBe(0);
      expect(await result.getByText(/at 0:00/).count()).toBe(0);
      const expected = await validateFile(upload, { name: 'upload.mp4', meantAs: 'upload' });
      expect(JSON.parse(await download('Save JSON')).files).toEqual(JSON.parse(JSON.stringify([expected])));
      expect(await download('Save HTML')).toContain('Audio sample rate is not 48 kHz');
      await page.getByLabel('Meant as').selectOption({ label: 'A live stream' });
      await row('faulty.flv').getByText('1 error').waitFor();
      expect(faults).toEqual([]);
    },
  );

  test('neither the page nor its worker can connect to anything', async () => {
    // So that it is there to be asked.
    await page.addInitScript('Worker.prototype.terminate = () => undefined;');
    await page.goto(places[place]);
    await choose(GOOD);
    await row('good.flv').getByText('All checks pass.').waitFor();
    expect(await fetches()).toEqual(['refused', 'refused']);
  });
});

test.each(casesNow(['mp4', 'mkv', 'ts'], (one) => one === 'mkv'))(
  'a recording as %s is judged as the library judges it',
  async (container) => {
    const path = join(folder, `recording.${container}`);
    execFileSync(findTools({}).ffmpeg, ['-v', 'fatal', '-y', '-i', FAULTY, '-c', 'copy', path], { stdio: 'ignore' });
    await page.goto(places.server);
    await choose(path);
    await page.getByRole('article').waitFor();
    const expected = await validateFile(path, { name: `recording.${container}` });
    expect(JSON.parse(await download('Save JSON')).files).toEqual(JSON.parse(JSON.stringify([expected])));
    expect(expected.errors.map((record) => record.error_code)).toContain(6208);
    expect(faults).toEqual([]);
  },
);

async function download(button: string): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()]);
  return readFileSync(await file.path(), 'utf8');
}

test('a file that is no recording gets a message, and the other files are judged', async () => {
  const bytes = readFileSync(FAULTY);
  const damaged = Buffer.concat([bytes.subarray(0, bytes.length / 2), Buffer.alloc(5_000, 0xff)]);
  const named: Record<string, Buffer> = {
    'empty.flv': Buffer.alloc(0),
    'text.txt': Buffer.from('a text'),
    'damaged.flv': damaged,
    'cut.flv': bytes.subarray(0, bytes.length - 20),
  };
  const paths = Object.entries(named).map(([name, content]) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  });
  await page.goto(places.server);
  await choose(...paths, GOOD);
  await row('good.flv').getByText('All checks pass.').waitFor();
  await row('empty.flv').getByText('Cannot be read: empty file').waitFor();
  await row('text.txt').getByText('not FLV').waitFor();
  await row('damaged.flv')
    .getByText(/invalid FLV at byte \d+.*Before that: 1 error/)
    .waitFor();
  await row('cut.flv').getByText('truncated file').waitFor();
  await row('damaged.flv').getByRole('button', { name: 'Show the result' }).click();
  await page.getByRole('article', { name: 'Result of damaged.flv' }).waitFor();
  expect(faults).toEqual([]);
});

/** No test can drop a folder of the machine. */
const DROPS_FOLDER = `{
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(['x'], 'recordings'));
  DataTransferItem.prototype.webkitGetAsEntry = () => ({ isDirectory: true });
  const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
  document.querySelector('label').dispatchEvent(drop);
}`;

test('a dropped folder and a deleted file get a message', async () => {
  await page.goto(places.server);
  await page.evaluate(DROPS_FOLDER);
  await page.getByText('recordings is a folder: drop the files in it.').waitFor();
  const gone = join(folder, 'gone.flv');
  writeFileSync(gone, readFileSync(GOOD));
  // Chromium compares whole seconds.
  utimesSync(gone, 1, 1);
  const release = hold();
  await choose(gone);
  await row('gone.flv').getByRole('progressbar').waitFor();
  writeFileSync(gone, 'changed since it was chosen');
  release();
  await row('gone.flv').getByText('Not judged: it cannot be read').waitFor();
  expect(faults).toEqual([]);
});

inFull('twenty files at once are judged, one canceled, one checked again, and more than fit are counted', async () => {
  const copies = Array.from({ length: 20 }, (_, i) => {
    const path = join(folder, `copy-${i}.flv`);
    writeFileSync(path, readFileSync(i % 2 === 0 ? FAULTY : GOOD));
    return path;
  });
  const release = hold();
  await page.goto(places.server);
  await choose(...copies);
  await row('copy-0.flv').getByRole('progressbar').waitFor();
  await row('copy-3.flv').getByText('Waiting').waitFor();
  for (const name of ['copy-0.flv', 'copy-3.flv']) await row(name).getByRole('button', { name: 'Cancel' }).click();
  await row('copy-1.flv').getByRole('progressbar').waitFor();
  release();
  for (let i = 0; i < 20; i++) {
    const wanted = i === 0 || i === 3 ? 'Canceled' : i % 2 === 0 ? /^1 error/ : 'All checks pass.';
    await row(`copy-${i}.flv`).getByText(wanted).waitFor();
  }
  await row('copy-3.flv').getByRole('button', { name: 'Check' }).click();
  await row('copy-3.flv').getByText('All checks pass.').waitFor();
  await choose(...copies, ...copies);
  await page.getByText('10 files more than the 50 that are held').waitFor();
  expect(faults).toEqual([]);
});

inFull('own bounds judge the files again, and an invalid file of bounds is refused with the reason', async () => {
  const wide = join(folder, 'wide.json');
  writeFileSync(
    wide,
    JSON.stringify({ name: 'wide', live: { keyFrameInterval: { recommendedMs: 6000, maxMs: 7000 } } }),
  );
  const wrong = join(folder, 'wrong.json');
  writeFileSync(wrong, JSON.stringify({ live: { keyFrames: 1 } }));
  await page.goto(places.server);
  await choose(FAULTY);
  await row('faulty.flv').getByText('1 error').waitFor();
  await page.getByLabel('Own bounds').setInputFiles(wrong);
  await page.getByRole('alert').getByText('wrong.json: live').waitFor();
  await row('faulty.flv').getByText('1 error').waitFor();
  await page.getByLabel('Own bounds').setInputFiles(wide);
  await row('faulty.flv').getByText('All checks pass.').waitFor();
  await page.getByText(/^Judged by: wide \(sha256/).waitFor();
  await page.getByRole('img', { name: /Key frame interval.*allowed up to 7 s/ }).waitFor();
  await page.getByRole('button', { name: 'Published bounds' }).click();
  await row('faulty.flv').getByText('1 error').waitFor();
  expect(faults).toEqual([]);
});

test('a server with bounds of its own judges by them', async () => {
  const text = JSON.stringify({ name: 'house', live: { keyFrameInterval: { recommendedMs: 6000, maxMs: 7000 } } });
  const house = readHouseText(text, 'house.json', 'house.json');
  await page.goto(`${await listening(createServer(createPages({ root: pages.root, house })))}/check/`);
  await choose(FAULTY);
  await row('faulty.flv').getByText('All checks pass.').waitFor();
  await page.getByText(/^Judged by: house \(sha256/).waitFor();
  expect(faults).toEqual([]);
});

test('the sign-in page leads to it', async () => {
  await page.route('**/dashboard/session', (route) => route.fulfill({ json: { session: null } }));
  await page.goto(places.server.replace('/check/', '/dashboard/'));
  await page.getByRole('link', { name: 'check a recording' }).click();
  await page.getByRole('heading', { name: 'Check recordings' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/check/');
});

test.each(casesNow(['light', 'dark'] as const, (one) => one === 'light'))(
  'axe finds nothing, and 360 pixels are enough: %s',
  async (theme) => {
    await page.setViewportSize({ width: 360, height: 800 });
    await page.goto(`${places.server}?theme=${theme}`);
    expect(await accessibilityFaults(page)).toEqual([]);
    await choose(FAULTY, GOOD);
    await row('good.flv').getByText('All checks pass.').waitFor();
    await page.getByRole('article').waitFor();
    await page.getByText(/more checks? without errors/).click();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await screenshot(page, `check-narrow-${theme}`);
    await choose(makeMedia(join(folder, 'square.mp4'), { size: '240x240' }));
    await page.getByLabel('Meant as').selectOption({ label: 'An upload' });
    await row('square.mp4').getByRole('button', { name: 'Show the result' }).click();
    await page.getByRole('article', { name: 'Result of square.mp4' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await screenshot(page, `check-upload-narrow-${theme}`);
    expect(faults).toEqual([]);
  },
);

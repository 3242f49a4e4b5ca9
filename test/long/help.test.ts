/** The documents as a site in Chromium, built from this tree: search, themes, widths, and a policy that nothing breaks. */
import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { createHelp } from '../../src/dashboard/help.js';
import { CATALOGUE } from '../../src/rules/registry/catalogue.js';
import { accessibilityFaults, faultsOf, launchBrowser, screenshot } from '../support/browser.js';

const ROOT = join(import.meta.dirname, '../..');
const SITE = join(ROOT, 'dist/help');
let server: Server;
let browser: Browser;
let url: string;
let page: Page;
let faults: string[];

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/docs.mjs', '--if-stale'], { cwd: ROOT });
  server = createServer(createHelp({ root: SITE, sources: ROOT })).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/help/`;
  browser = await launchBrowser();
}, 5 * 60_000);
afterAll(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  faults = faultsOf(page);
});
afterEach(() => page.close());

const isDark = () => page.evaluate('document.documentElement.classList.contains("dark")');

test('the search finds a rule by its code and leads to its anchor', async () => {
  await page.goto(url);
  await page.getByRole('button', { name: 'Search' }).first().click();
  await page.getByRole('searchbox').fill('6208');
  const found = page.getByRole('option').first();
  await found.getByText('KEY_FRAME_INTERVAL_TOO_LONG').waitFor();
  await screenshot(page, 'search');
  await found.click();
  await page.waitForURL(/\/rules\/video-rate(?:\.html)?#6208-key_frame_interval_too_long$/);
  const heading = page.getByRole('heading', { name: /^6208 KEY_FRAME_INTERVAL_TOO_LONG/ });
  await heading.waitFor();
  expect(faults).toEqual([]);
});

test('every page is served, loads what it names, and every heading that a link names is there', async () => {
  const pages = new Map<string, string>();
  const found = [url];
  for (const address of found) {
    const answer = await fetch(address);
    expect([address, answer.status]).toEqual([address, 200]);
    const text = await answer.text();
    pages.set(address, text);
    for (const [, href = ''] of text.matchAll(/<a[^>]* href="([^"]+)"/g)) {
      const target = new URL(href.replaceAll('&amp;', '&'), address);
      const isPage = target.href.startsWith(url) && !target.href.startsWith(`${url}files/`);
      target.hash = '';
      if (isPage && !found.includes(target.href)) found.push(target.href);
    }
  }
  expect(found.length).toBeGreaterThan(80);
  const broken: string[] = [];
  for (const [address, text] of pages) {
    for (const [, href = ''] of text.matchAll(/<a[^>]* href="([^"]+)"/g)) {
      const target = new URL(href, address);
      const id = decodeURIComponent(target.hash.slice(1));
      target.hash = '';
      if (id !== '' && pages.get(target.href)?.includes(` id="${id}"`) === false) broken.push(`${address}: ${href}`);
      if (target.href.startsWith(`${url}files/`) && (await fetch(target)).status !== 200) broken.push(target.href);
    }
  }
  expect(broken).toEqual([]);
});

test('each rule has an address by its code, which leads to its section', async () => {
  for (const { code, type } of CATALOGUE) {
    const answer = await fetch(`${url}rules/${code}`, { redirect: 'manual' });
    const place = answer.headers.get('location') ?? '';
    expect(place).toMatch(new RegExp(`#${code}-${type.toLowerCase()}$`));
    expect(await (await fetch(new URL(place, url))).text()).toContain(`id="${place.split('#')[1]}"`);
  }
});

test('an unknown page is told in the frame of the site, with status 404', async () => {
  const answer = await page.goto(`${url}nothing`);
  expect(answer?.status()).toBe(404);
  await page
    .getByRole('link', { name: /Airlock/ })
    .first()
    .waitFor();
  await page.getByRole('heading', { name: 'No such page' }).waitFor();
});

test('dark and light: by the system, and by the switch, which the next page keeps', async () => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${url}tutorials/obs`);
  expect(await isDark()).toBe(true);
  await page.getByRole('switch').first().click();
  expect(await isDark()).toBe(false);
  await page.goto(`${url}tutorials/ffmpeg`);
  expect(await isDark()).toBe(false);
  expect(faults).toEqual([]);
});

test('a button copies a command', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${url}start`);
  await page.locator('.language-sh').first().hover();
  await page.locator('.language-sh button.copy').first().click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('npm ci && npm start');
});

test.each(['', 'start', 'tutorials/obs', 'rules', 'rules/video-rate', 'nothing'])(
  'axe finds nothing in both themes, and 360 pixels are enough: /%s',
  async (path) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(url + path);
        await page.locator('h1').first().waitFor();
        expect(await accessibilityFaults(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        await screenshot(page, `${path.replaceAll('/', '-') || 'home'}-${width}-${colorScheme}`);
      }
    }
  },
);

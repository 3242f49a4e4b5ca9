/** Real Chromium, and the pages built from source for it. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..', '..');
/** What the pages are made of, as `scripts/build.mjs` has it. */
const JUDGE = ['bytes', 'check', 'config', 'containers', 'facts', 'judge', 'lib', 'library', 'media', 'rtmp'];
const SOURCES = ['spec', 'rules', 'dashboard', ...JUDGE].map((name) => join(ROOT, 'src', name));

const SHELL = '/usr/bin/chromium-headless-shell';
/** Without the windows of a browser, where it is installed: a page takes half of the processor time. */
const CHROMIUM = process.env.CHROMIUM_PATH ?? (existsSync(SHELL) ? SHELL : '/usr/bin/chromium');

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: FLAGS });
}

/** Vite's output: that of the last build, or made new in a folder of its own when there is none of these sources. */
export async function buildPages(): Promise<{ readonly root: string; remove(): void }> {
  const built = join(ROOT, 'dist', 'dashboard', 'web');
  if (changedMs(join(built, '.built')) > Math.max(...SOURCES.map(newestMs))) {
    return { root: built, remove: () => undefined };
  }
  const root = mkdtempSync(join(tmpdir(), 'airlock-web-'));
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
  const config = join(ROOT, 'src', 'dashboard', 'web', 'vite.config.ts');
  await promisify(execFile)(process.execPath, [vite, 'build', '--config', config, '--outDir', root, '--emptyOutDir']);
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

const changedMs = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function newestMs(folder: string): number {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return Math.max(...entries.map((entry) => changedMs(join(entry.parentPath, entry.name))));
}

/** Signs the browser in, so that its pages have a session. */
export async function signIn(context: BrowserContext, serverUrl: string, token: string): Promise<void> {
  const { origin } = new URL(serverUrl);
  const headers = { authorization: `Bearer ${token}`, origin, 'x-airlock-page': '1' };
  const answer = await context.request.post(`${origin}/dashboard/session`, { headers });
  if (answer.status() !== 201) throw new Error(`signing in failed: ${answer.status()} ${await answer.text()}`);
}

/** What the page threw or logged as an error: a refused script or style of the content security policy among them. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`.trim());
  });
  // The browser says the status alone. No test expects a 400.
  page.on('response', async (response) => {
    if (response.status() === 400) faults.push(await response.text().catch((error) => String(error)));
  });
  return faults;
}

/** Kept where SCREENSHOTS says, to be looked at; nowhere when it says nothing. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** What axe-core finds on the page as it is shown: the rule and the elements. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as {
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

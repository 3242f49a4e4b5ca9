/** The page that checks files, in Chromium, without the server around it. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { createPages } from '../../src/dashboard/pages.js';
import type { FileResult } from '../../src/library/index.js';
import { buildPages, launchBrowser } from './browser.js';

export interface CheckPage {
  /** The result that it saves for a file. */
  judged(path: string, timeoutMs?: number): Promise<FileResult>;
  /** Files are meant as uploads from now on. */
  takeUploads(): Promise<void>;
  close(): Promise<void>;
}

export async function openCheckPage(): Promise<CheckPage> {
  const [pages, browser] = await Promise.all([buildPages(), launchBrowser()]);
  const server = createServer(createPages({ root: pages.root }));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/check/`);
  return {
    judged: (path, timeoutMs) => judged(page, path, timeoutMs),
    takeUploads: async () => void (await page.getByLabel('Meant as').selectOption({ label: 'An upload' })),
    async close() {
      await browser.close();
      server.close();
      pages.remove();
    },
  };
}

async function judged(page: Page, path: string, timeout = 30_000): Promise<FileResult> {
  await page.getByLabel('Choose files').setInputFiles(path);
  await page.getByRole('article', { name: `Result of ${basename(path)}` }).waitFor({ timeout });
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save JSON' }).click(),
  ]);
  const { files } = JSON.parse(readFileSync(await saved.path(), 'utf8'));
  await page.getByRole('button', { name: 'Remove' }).click();
  expect(files).toHaveLength(1);
  return files[0];
}

/** For tests of the pages in Chromium: one browser a file, and for each test the real feed and store with a page of its own. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildPages, faultsOf, launchBrowser } from '../support/browser.js';
import { FeedHarness } from './feed-harness.js';

/** Of the running file. */
export let browser: Browser;
/** Of the running test. */
export let harness: FeedHarness;
export let page: Page;
/** What the page threw or logged as an error. */
export let faults: string[];

/** An error record of the harness, by what the pages show of it. */
export const MONO = {
  error_code: 6304,
  error_type: 'AUDIO_CHANNELS_NOT_STEREO',
  description: '[6304 AUDIO_CHANNELS_NOT_STEREO] The audio has 1 channel; it must be stereo.',
  remediation: 'Settings, Audio: set Channels to Stereo.',
};

/** Declares the hooks. The first page is opened without an address. */
export function openPages(viewport: { readonly width: number; readonly height: number }): void {
  let pages: Awaited<ReturnType<typeof buildPages>>;
  let context: BrowserContext;

  beforeAll(async () => {
    [pages, browser] = await Promise.all([buildPages(), launchBrowser()]);
  });

  afterAll(async () => {
    await browser.close();
    pages.remove();
  });

  beforeEach(async () => {
    harness = await FeedHarness.open(pages.root);
    context = await browser.newContext({ viewport });
    page = await context.newPage();
    faults = faultsOf(page);
  });

  afterEach(async () => {
    await context.close();
    await harness.close();
  });
}

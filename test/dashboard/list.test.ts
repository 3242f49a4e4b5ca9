/** The list of broadcasts in Chromium, with more of them than the feed has. */

import { FEED_LIMITS } from '../../src/dashboard/view/limits.js';
import { accessibilityFaults, screenshot, signIn } from '../support/browser.js';
import { inFull } from '../support/in-full.js';
import { until } from '../support/store-harness.js';
import { HEALTH } from './feed-harness.js';
import { faults, harness, MONO, openPages, page } from './pages-harness.js';

openPages({ width: 1280, height: 800 });

/** Calls of the interface, by method and path; a picture is that of a recording. */
const calls: string[] = [];

async function openList(address = ''): Promise<void> {
  calls.length = 0;
  await page.route(/\/dashboard\/api\/\d+/, async (route) => {
    const request = route.request();
    const { pathname, searchParams } = new URL(request.url());
    const path = pathname.slice('/dashboard/api'.length);
    if (searchParams.get('fields') === 'picture') return route.fulfill({ json: { picture: '/favicon.ico' } });
    const sent = new URLSearchParams(request.postData() ?? '');
    calls.push(`${request.method()} ${path} ${sent}`);
    const copied = { title: 'Evening news', description: 'Daily', privacy: { value: 'EVERYONE' } };
    await route.fulfill({ json: request.method() === 'GET' ? copied : { id: '2', success: true } });
  });
  await signIn(page.context(), harness.httpUrl, 'page-7');
  await page.goto(`${harness.httpUrl}/dashboard/#/${address}`);
  await page.getByText('Up to date').waitFor();
}

const rows = () => page.locator('li a[href^="#/broadcasts/"]');
const shown = () => page.getByRole('combobox', { name: 'Shown broadcasts' });
const titles = async (): Promise<readonly string[]> =>
  rows().evaluateAll((links) => links.map((link) => link.querySelector('[dir=auto]')?.textContent ?? ''));

test('filters and finds all broadcasts, also those that the feed does not have, and Back returns to the place', async () => {
  const now = { streamSinceMs: Date.now() };
  await harness.live('1', { title: 'Harvest festival', status: 'VOD', stream: 'ended' });
  const ids = Array.from({ length: FEED_LIMITS.broadcastsListed + 60 }, (_, index) => String(1_000 + index));
  await Promise.all(ids.map((id) => harness.live(id, { status: 'VOD', stream: 'ended' })));
  await harness.live('2000', { title: 'Evening news', status: 'LIVE', stream: 'connected', ...now });
  await harness.raise('2000', 1, MONO);
  await openList();
  await page.getByText('All (262)').waitFor({ state: 'attached' });
  expect(await shown().locator('option').allTextContents()).toEqual([
    'All (262)',
    'On air (1)',
    'With open errors (1)',
    'Waiting (0)',
    'Ended (261)',
  ]);
  await shown().selectOption('air');
  expect(await titles()).toEqual(['Evening news']);
  expect(page.url()).toContain('#/?filter=air');
  await shown().selectOption('ended');
  await page.getByRole('searchbox').fill('HARVEST');
  await page.getByText('Ended (1)').waitFor({ state: 'attached' });
  expect(await titles()).toEqual(['Harvest festival']);
  await page.reload();
  await page.getByText('Ended (1)').waitFor({ state: 'attached' });
  expect([await titles(), await page.getByRole('searchbox').inputValue()]).toEqual([['Harvest festival'], 'HARVEST']);

  await page.getByRole('searchbox').fill('');
  await until(async () => (await rows().count()) > FEED_LIMITS.broadcastsListed - 10);
  await rows().last().scrollIntoViewIfNeeded();
  await until(async () => (await titles()).includes('Harvest festival'));
  await page.getByText('End of the list.').scrollIntoViewIfNeeded();
  const link = page.getByRole('link', { name: 'Harvest festival' });
  await until(() => page.evaluate<boolean>('scrollY > 5000 && history.state?.place === scrollY'));
  const before = await page.evaluate('scrollY');
  await link.click();
  await page.getByRole('heading', { name: 'Harvest festival', level: 1 }).waitFor();
  await until(() => page.evaluate<boolean>('scrollY < 100'));
  await page.goBack();
  await link.waitFor();
  await until(async () => (await page.evaluate('scrollY')) === before);
  expect(faults).toEqual([]);
});

test('a row has its picture, and no cell of it reaches into the next', async () => {
  const ends = { startMs: 1_700_000_000_000, endMs: 1_700_000_125_000 };
  const over = { stream: 'ended', broadcastStartMs: ends.startMs, endedMs: ends.endMs } as const;
  await harness.live('1', { ...over, title: 'A '.repeat(120), status: 'LIVE_STOPPED' });
  await harness.live('2', { ...over, status: 'VOD' });
  await harness.live('3', {
    status: 'LIVE',
    stream: 'connected',
    streamSinceMs: Date.now(),
    broadcastStartMs: Date.now(),
  });
  harness.health.set('3', HEALTH);
  await harness.raise('3', 12, MONO);
  await harness.live('4', {
    status: 'LIVE',
    stream: 'interrupted',
    streamSinceMs: Date.now(),
    broadcastStartMs: Date.now(),
  });
  await openList();
  await until(async () => (await page.locator('li img').count()) >= 2);
  expect(await page.getByText('2:05').count()).toBe(2);
  for (const [width, colorScheme] of [
    [360, 'light'],
    [1024, 'dark'],
    [1280, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    await screenshot(page, `list-${width}`);
    const overlaps = await page.evaluate(`(() => {
      const found = [];
      for (const row of document.querySelectorAll('li a[href^="#/broadcasts/"]')) {
        const cells = [...row.children, row.nextElementSibling].flatMap((cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          const { left, right, width } = range.getBoundingClientRect();
          // Lines of a long title are cut off.
          const { top, bottom } = cell.getBoundingClientRect();
          return width === 0 ? [] : [{ text: cell.textContent, rect: { left, right, top, bottom } }];
        });
        for (const [index, a] of cells.entries()) for (const b of cells.slice(index + 1)) {
          const x = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
          const y = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top);
          if (x > 1 && y > 1) found.push([a.text, b.text]);
        }
      }
      return [found, document.documentElement.scrollWidth <= innerWidth];
    })()`);
    expect(overlaps).toEqual([[], true]);
    expect(await accessibilityFaults(page)).toEqual([]);
  }
});

test('a broadcast that ends while the list is on the screen gets the picture of its recording', async () => {
  const ended = { stream: 'ended', broadcastStartMs: 1_700_000_000_000, endedMs: 1_700_000_125_000 } as const;
  await harness.live('1', { ...ended, title: 'Evening news', status: 'VOD' });
  await harness.live('2', { title: 'Concert', status: 'LIVE', stream: 'connected', streamSinceMs: Date.now() });
  await openList();
  const ofRow = (title: string) => page.locator('li', { hasText: title }).locator('img[loading=lazy]');
  await ofRow('Evening news').waitFor();
  await harness.live('2', { ...ended, title: 'Concert', status: 'VOD' });
  await ofRow('Concert').waitFor();
});

inFull('a broadcast is renamed, duplicated and deleted from its row; one on air is not deleted', async () => {
  await harness.live('1', { title: 'Evening news', status: 'VOD', stream: 'ended' });
  await harness.live('3', { title: 'Concert', status: 'LIVE', stream: 'connected', streamSinceMs: Date.now() });
  await openList();
  const open = async (title: string, item: string): Promise<void> => {
    await page.getByRole('button', { name: `More for ${title}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await open('Evening news', 'Rename');
  const field = page.getByRole('textbox', { name: 'Title', exact: true });
  await field.fill(' Late news ');
  await field.press('Enter');
  await until(() => calls.length === 1);
  await open('Evening news', 'Delete');
  await page.getByRole('button', { name: 'Delete' }).click();
  await until(() => calls.length === 2);
  await page.getByRole('button', { name: 'More for Concert' }).click();
  expect(await page.getByRole('menuitem', { name: 'Delete' }).getAttribute('data-disabled')).toBe('');
  await page.keyboard.press('Escape');
  await open('Evening news', 'Duplicate');
  await until(() => page.url().endsWith('#/broadcasts/2'));
  expect(calls.slice(0, 4)).toEqual([
    'POST /1 title=Late+news',
    'DELETE /1 ',
    'GET /1 ',
    'POST /7/live_videos status=LIVE_NOW&title=Evening+news&description=Daily&privacy=%7B%22value%22%3A%22EVERYONE%22%7D',
  ]);
});

test('broadcasts that have waited for long are folded away', async () => {
  await harness.live('1', { title: 'Forgotten' });
  await harness.live('2', { title: 'Tonight', plannedStartMs: Date.now() + 3_600_000, status: 'SCHEDULED_LIVE' });
  await openList();
  await page.getByRole('link', { name: /Tonight/ }).waitFor();
  expect(await titles()).toEqual(['Tonight']);
  await page.getByText('1 broadcast waiting for more than a week').click();
  await page.getByRole('link', { name: /Forgotten/ }).waitFor();
});

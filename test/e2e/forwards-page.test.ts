/** The card of forwards as people use it: real Chromium, the built server, a real target. */
import type { Browser } from 'playwright-core';
import { Airlock } from '../support/airlock.js';
import { accessibilityFaults, faultsOf, launchBrowser, screenshot } from '../support/browser.js';
import { Publisher, paced } from '../support/publisher.js';
import { RtmpTarget } from '../support/rtmp-target.js';
import { synthStream } from '../support/synth-stream.js';

let airlock: Airlock;
let browser: Browser;
let rtmp: RtmpTarget;

beforeAll(async () => {
  [airlock, browser, rtmp] = await Promise.all([
    Airlock.start({ AIRLOCK_FORWARD_NETWORKS: '127.0.0.0/8:1-65535' }),
    launchBrowser(),
    new RtmpTarget().listen(),
  ]);
}, 60_000);
afterAll(async () => {
  await browser.close();
  await rtmp.close();
  await airlock.stop();
}, 60_000);

test('a forward is added, paused and removed on the page of the broadcast, and says what it does', async () => {
  const live = await airlock.createLive({ title: 'Council' });
  const publisher = await Publisher.open(airlock, live.key);
  const sent = publisher.send(paced(synthStream({ durationMs: 120_000 })));
  const page = await browser.newPage();
  const faults = faultsOf(page);
  await page.goto(airlock.quickstart.dashboard_url);
  await page.getByLabel('Access token').fill(airlock.quickstart.access_token);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Council' }).first().click();
  await page.getByText('New forward').click();
  await page.getByLabel('Name').fill('Origin');
  await page.getByLabel('Server URL, without the stream key').fill(rtmp.url());
  await page.getByLabel('Stream key', { exact: true }).fill('abc');
  await page.getByRole('button', { name: 'Add forward' }).click();
  await page.getByText(/^Sending to Origin, [\d,.]+ (kbps|Mbps), /).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Broadcasts' }).first().click();
  await page.getByText('Forwards: 1 of 1 sending').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await screenshot(page, 'list-forwards');
  await page.getByRole('link', { name: 'Council' }).first().click();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Off', { exact: true }).waitFor();
  await rtmp.until(() => rtmp.connections[0]?.unpublished === 'FCUnpublish');
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Remove forward' }).click();
  await page.getByRole('heading', { name: 'Origin' }).waitFor({ state: 'detached' });
  expect(faults).toEqual([]);
  publisher.cut();
  await sent;
}, 60_000);

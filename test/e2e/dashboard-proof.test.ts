/** The dashboard of a server that takes tokens only with an app secret proof. */
import { createHmac } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { Airlock } from '../support/airlock.js';
import { launchBrowser, screenshot } from '../support/browser.js';

const SECRET = 'the secret of the app';
let airlock: Airlock;
let browser: Browser;

beforeAll(async () => {
  const env = { AIRLOCK_APP_SECRET: SECRET, AIRLOCK_REQUIRE_APP_SECRET_PROOF: 'on' };
  [airlock, browser] = await Promise.all([Airlock.start(env), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await airlock.stop();
});

test('the dashboard asks for the app secret proof and works with it', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(45_000);
  const { access_token, dashboard_url } = airlock.quickstart;
  await page.goto(dashboard_url);
  await page.getByLabel('Access token').fill(access_token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('This server requires an app secret proof.').waitFor();
  await page.getByLabel('App secret proof').fill('0'.repeat(64));
  await screenshot(page, 'proof');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The proof does not match this token.').waitFor();
  await page.getByLabel('App secret proof').fill(createHmac('sha256', SECRET).update(access_token).digest('hex'));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Broadcasts', exact: true }).waitFor();

  // Reading and writing, and both again after a reload.
  for (const title of ['With a proof', 'Still with it']) {
    await page.getByRole('link', { name: 'New broadcast' }).first().click();
    await page.getByLabel('Title').fill(title);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: title }).first().waitFor();
    await page.getByText('Waiting for stream').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: title }).first().waitFor();
    await page.getByRole('link', { name: 'Broadcasts', exact: true }).click();
    await page.getByRole('link', { name: title }).first().waitFor();
  }
  await page.close();
});

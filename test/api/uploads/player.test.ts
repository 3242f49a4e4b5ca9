/** Uploaded videos play in a browser from their link alone, at once, and after seeking. `test/long` has more containers. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { casesNow } from '../../support/in-full.js';
import { type MediaFile, makeMedia } from '../../support/media-files.js';
import { browser, expectPlaysAndSeeks, harness, LONG, openPlayer, type VideoElement } from '../../support/player.js';

openPlayer();

const FILES: readonly [string, string, MediaFile][] = [
  ['MP4 with its index at the end', 'a.mp4', LONG],
  ['a file that must be encoded', 'a.avi', { size: '640x360', seconds: 8, video: ['-c:v', 'mpeg4', '-b:v', '8M'] }],
];

test.each(casesNow(FILES, ([what]) => what === 'MP4 with its index at the end'))(
  '%s plays and seeks',
  expectPlaysAndSeeks,
);

test('captions are shown in the player', async () => {
  const path = makeMedia(join(harness.folder.path, 'spoken.mp4'), { seconds: 3 });
  const { body } = await harness.post(`/${harness.page}/videos`, { source: new Blob([readFileSync(path)]) });
  await harness.processed(body.id);
  const form = new FormData();
  form.set('access_token', harness.token);
  const words = '1\n00:00:00,000 --> 00:00:02,500\nHello & goodbye\n';
  form.set('captions_file', new Blob([words]), 'words.en_US.srt');
  await fetch(`${harness.url}/${body.id}/captions`, { method: 'POST', body: form });
  const { source, captions } = (await harness.get(`/${body.id}`, { fields: 'source,captions{webvtt_uri}' })).body;
  const page = await browser.newPage();
  await page.setContent(
    `<video muted crossorigin src="${source.replaceAll('&', '&amp;')}"><track default kind="captions" src="${captions.data[0].webvtt_uri.replaceAll('&', '&amp;')}"></video>`,
  );
  await page.locator('video').evaluate((video: VideoElement) => video.play());
  const shown = `[...(document.querySelector('video').textTracks[0].activeCues ?? [])].map((cue) => cue.getCueAsHTML().textContent)`;
  await page.waitForFunction(`${shown}.length > 0`);
  expect(await page.evaluate(shown)).toEqual(['Hello & goodbye']);
  await page.close();
});

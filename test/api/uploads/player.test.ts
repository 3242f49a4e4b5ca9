/** Uploaded videos play in a browser from their link alone, at once, and after seeking. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../support/browser.js';
import { type MediaFile, makeMedia, runFfmpeg } from '../../support/media-files.js';
import { UploadHarness } from '../../support/upload-harness.js';

let harness: UploadHarness;
let browser: Browser;
/** Encoded once, copied into each container. */
let long: string;
const ranges: (string | undefined)[] = [];

beforeAll(async () => {
  harness = await UploadHarness.open({}, {}, (request: IncomingMessage) => {
    if (request.url?.startsWith('/files/')) ranges.push(request.headers.range);
  });
  browser = await launchBrowser();
  long = makeMedia(join(harness.folder.path, 'long.mkv'), LONG);
});
afterAll(async () => {
  await browser.close();
  await harness.close();
});

/** Large enough that a browser does not fetch it as a whole. */
const LONG: MediaFile = {
  seconds: 20,
  size: '640x360',
  video: [
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '30'],
    ...['-b:v', '8M', '-minrate', '8M', '-maxrate', '8M', '-bufsize', '8M', '-x264-params', 'nal-hrd=cbr'],
  ],
};

/** The used part of the video element; the tests are compiled without DOM types. */
interface VideoElement {
  src: string;
  currentTime: number;
  readonly duration: number;
  readonly videoWidth: number;
  readonly videoHeight: number;
  readonly error: { readonly message: string } | null;
  play(): Promise<void>;
  getVideoPlaybackQuality(): { readonly totalVideoFrames: number };
  addEventListener(name: string, listener: () => void, options: { once: boolean }): void;
}

test.each<[string, string, MediaFile]>([
  ['Matroska', 'a.mkv', LONG],
  ['QuickTime with its index at the end', 'a.mov', LONG],
  ['MP4 with its index at the end', 'a.mp4', LONG],
  ['an MPEG transport stream', 'a.ts', LONG],
  ['a file that must be encoded', 'a.avi', { size: '640x360', seconds: 8, video: ['-c:v', 'mpeg4', '-b:v', '8M'] }],
])('%s plays and seeks', async (what, name, media) => {
  const path = join(harness.folder.path, name);
  if (media === LONG) runFfmpeg(['-i', long, '-c', 'copy', path]);
  else makeMedia(path, media);
  const { body } = await harness.post(`/${harness.page}/videos`, { source: new Blob([readFileSync(path)]) });
  expect((await harness.processed(body.id)).data.videoStatus).toBe('ready');
  const { source, length } = (await harness.get(`/${body.id}`, { fields: 'source,length' })).body;
  const seconds = media.seconds ?? 0;
  expect(length).toBeCloseTo(seconds, 0);

  ranges.length = 0;
  const page = await browser.newPage();
  await page.setContent('<video muted></video>');
  const played = await page.locator('video').evaluate(
    async (video: VideoElement, { url, seekTo }) => {
      const happens = (name: string) =>
        new Promise<void>((resolve, reject) => {
          video.addEventListener(name, resolve, { once: true });
          video.addEventListener('error', () => reject(new Error(video.error?.message)), { once: true });
        });
      const passes = async (time: number) => {
        while (video.currentTime <= time) await happens('timeupdate');
      };
      video.src = url;
      await happens('loadedmetadata');
      await video.play();
      await passes(0.3);
      const before = video.getVideoPlaybackQuality().totalVideoFrames;
      video.currentTime = seekTo;
      await happens('seeked');
      const soughtTo = video.currentTime;
      await passes(seekTo + 0.3);
      const frames = video.getVideoPlaybackQuality().totalVideoFrames;
      return { duration: video.duration, width: video.videoWidth, height: video.videoHeight, before, soughtTo, frames };
    },
    { url: source, seekTo: seconds * 0.8 },
  );
  await page.close();
  expect([what, played.width, played.height]).toEqual([what, 640, 360]);
  expect(played.duration).toBeCloseTo(seconds, 0);
  expect(played.before).toBeGreaterThan(0);
  expect(played.soughtTo).toBeCloseTo(seconds * 0.8, 1);
  expect(played.frames).toBeGreaterThan(played.before);
  expect(ranges[0]).toBe('bytes=0-');
  if (seconds > 10) expect(ranges.some((range) => Number(range?.match(/^bytes=(\d+)-/)?.[1]) > 1_000_000)).toBe(true);
});

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

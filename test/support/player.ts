/** Uploaded videos in Chromium: each is played from its link alone, at once, and after seeking. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.js';
import { type MediaFile, makeMedia, runFfmpeg } from './media-files.js';
import { UploadHarness } from './upload-harness.js';

export let harness: UploadHarness;
export let browser: Browser;
/** Encoded once, copied into each container. */
let long: string;
const ranges: (string | undefined)[] = [];

/** For the tests of a file. */
export function openPlayer(): void {
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
}

/** Large enough that a browser does not fetch it as a whole. */
export const LONG: MediaFile = {
  seconds: 20,
  size: '640x360',
  video: [
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '30'],
    ...['-b:v', '8M', '-minrate', '8M', '-maxrate', '8M', '-bufsize', '8M', '-x264-params', 'nal-hrd=cbr'],
  ],
};

/** The used part of the video element; the tests are compiled without DOM types. */
export interface VideoElement {
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

/** Uploads a file of this name, and plays the video from its link in a page of its own. */
export async function expectPlaysAndSeeks(what: string, name: string, media: MediaFile): Promise<void> {
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
}

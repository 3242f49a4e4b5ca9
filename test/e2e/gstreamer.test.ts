/** GStreamer's own RTMP client over TLS: a clean stream, a refusal whose reason it prints, an end that it notices. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Airlock } from '../support/airlock.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start();
});
afterAll(() => airlock.stop());

/** 360p30 in real time, as a live source gives it. */
function pipeline(url: string, seconds: number): string {
  return [
    `videotestsrc is-live=true pattern=snow num-buffers=${30 * seconds}`,
    'video/x-raw,width=640,height=360,framerate=30/1,format=I420',
    'x264enc bitrate=700 vbv-buf-capacity=1000 key-int-max=60 speed-preset=ultrafast tune=zerolatency',
    'h264parse',
    `mux. audiotestsrc is-live=true samplesperbuffer=1024 num-buffers=${Math.floor((48_000 * seconds) / 1024)}`,
    'audio/x-raw,rate=48000,channels=2',
    'voaacenc bitrate=128000',
    'aacparse',
    'mux. flvmux name=mux streamable=true',
    // Everything is checked but the authority, for which it knows the system's list only: the local one is not in it.
    `rtmp2sink location=${url} tls-validation-flags=bad-identity+not-activated+expired+revoked+insecure`,
  ].join(' ! ');
}

function gstreamer(url: string, seconds: number) {
  const args = ['-e', ...pipeline(url, seconds).split(' ')];
  const child = spawn('gst-launch-1.0', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      said += bytes.toString();
    });
  }
  const done = once(child, 'close').then(([code]) => ({ code: code as number | null, said }));
  return { done };
}

test('a conforming stream is LIVE while it runs and raises no error', async () => {
  const live = await airlock.createLive();
  const running = gstreamer(live.url, 8);
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );
  const { code, said } = await running.done;
  expect({ code, said }).toMatchObject({ code: 0 });
  // On a loaded machine the live source of GStreamer repeats stamps, which 6411 reports.
  expect((await airlock.errors(live.id)).filter(({ error_code }) => error_code !== 6411)).toEqual([]);
});

test('prints the reason for a wrong key', async () => {
  const { key, url } = await airlock.createLive();
  const { code, said } = await gstreamer(url.replace(key, `${key.slice(0, -4)}aaaa`), 4).done;
  expect(code).toBe(1);
  expect(said).toContain('Unknown stream key');
});

test('stops with an error when the owner ends the broadcast; a second attempt gets the reason', async () => {
  const live = await airlock.createLive();
  const running = gstreamer(live.url, 60);
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );
  await airlock.post(`/${live.id}`, { end_live_video: 'true' });
  const { code, said } = await running.done;
  expect(code).toBe(1);
  expect(said).toContain('rtmp2sink0: Connection error');
  // Closed in order, with close_notify: not "TLS connection closed unexpectedly".
  expect(said).toContain('connection closed remotely');
  const again = await gstreamer(live.url, 4).done;
  expect(again.code).toBe(1);
  expect(again.said).toContain('This broadcast has ended');
});

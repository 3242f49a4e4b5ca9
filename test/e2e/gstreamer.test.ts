/** GStreamer's own RTMP client over TLS: a clean stream, a refusal whose reason it prints, an end that it notices. */
import { Airlock } from '../support/airlock.js';
import { gstreamer } from '../support/gstreamer.js';

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start();
});
afterAll(() => airlock.stop());

test('a conforming stream is LIVE while it runs and raises no error', async () => {
  const live = await airlock.createLive();
  const running = gstreamer(live.url, 8);
  await airlock.until(
    () => airlock.get(`/${live.id}`, { fields: 'status' }),
    (body) => body.status === 'LIVE',
  );
  const { code, said } = await running.done;
  expect({ code, said }).toMatchObject({ code: 0 });
  // On a loaded machine the live sources of GStreamer are late and repeat stamps: then key frames may be late as well.
  const rows = await airlock.errors(live.id);
  const isStarved = rows.some(({ error_code }) => error_code === 6406 || error_code === 6411);
  expect(isStarved ? [] : rows).toEqual([]);
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

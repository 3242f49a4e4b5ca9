// What an OBS with two video tracks sent, replayed in real time, by hand: node test/manual/obs-capture.mjs CAPTURE [FOLDER]
//
// CAPTURE holds the bytes of one RTMP connection from the encoder to the server, without TLS. Its media messages are published
// with their payloads and timestamps unchanged. Needs the built server, and Chromium for pictures, which go to FOLDER.
//   1 a live video that asked for two tracks, with the server's answer named in the publish: no error
//   2 the same stream without an answer: 6216
//   3 other settings by the dashboard's form: the encoder is let go, and its next question is answered with them
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';

register('../support/typescript-loader.mjs', import.meta.url);
const { Airlock } = await import('../support/airlock.ts');
const { Publisher } = await import('../support/publisher.ts');
const { obs32Request } = await import('../support/go-live-request.ts');
const { launchBrowser } = await import('../support/browser.ts');
const { ServerSession } = await import('../../src/rtmp/session/server-session.ts');
const { DEFAULT_RTMP_LIMITS } = await import('../../src/rtmp/limits.ts');

/** What the scene of the capture has: no sound, a picture that stands still. */
const EMPTY_SCENE = [6801, 6811, 6812];
const [capture, folder] = process.argv.slice(2);
if (capture === undefined) throw new Error('usage: node test/manual/obs-capture.mjs CAPTURE [FOLDER]');
let failures = 0;

function check(what, holds, shown) {
  if (!holds) failures++;
  process.stdout.write(`  ${holds ? 'ok ' : 'BAD'} ${what}${shown === undefined ? '' : `: ${shown}`}\n`);
}

/** The media messages of the capture, in order. */
function messagesOf(bytes) {
  const found = [];
  const keep = (kind) => (message) => {
    const { payload, timestampMs } = message;
    found.push({ kind, timestampMs, payload: payload.copy(0, payload.length) });
  };
  const session = new ServerSession({
    limits: DEFAULT_RTMP_LIMITS,
    randomBytes,
    sink: {
      send: () => undefined,
      publish: ({ requestId }) => session.acceptPublish(requestId),
      takeVideo: keep('video'),
      takeAudio: keep('audio'),
      takeData: (_name, _values, message) => keep('data')(message),
      unpublish: () => undefined,
    },
  });
  for (let at = 0; at < bytes.length; at += 16_384) session.push(bytes.subarray(at, at + 16_384));
  return found;
}

async function* inRealTime(messages) {
  const startMs = performance.now();
  for (const message of messages) {
    const earlyMs = message.timestampMs - (performance.now() - startMs);
    if (earlyMs > 5) await wait(earlyMs);
    yield message;
  }
}

const findings = async (airlock, id) =>
  (await airlock.errors(id)).filter(({ error_code }) => !EMPTY_SCENE.includes(error_code) && error_code < 6900);

/** The picture of the track, as a second of its FLV; also while the stream runs. */
async function bytesOfTrack(airlock, id, track) {
  const { flv_path } = await airlock.get(`/playback/${id}`);
  const path = track === 0 ? flv_path : flv_path.replace('.flv', `.${track}.flv`);
  const response = await fetch(new URL(path, airlock.quickstart.http_url), { signal: AbortSignal.timeout(8_000) });
  let bytes = 0;
  try {
    for await (const part of response.body) bytes += part.length;
  } catch (error) {
    if (error.name !== 'TimeoutError') throw error;
  }
  return bytes;
}

async function signedIn(browser, airlock, id, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  await page.goto(airlock.quickstart.dashboard_url);
  await page.getByLabel(/token/i).first().fill(airlock.quickstart.access_token);
  await page.keyboard.press('Enter');
  await page.goto(`${airlock.quickstart.dashboard_url}#/broadcasts/${id}`);
  return page;
}

async function picture(airlock, id) {
  if (folder === undefined) return;
  const browser = await launchBrowser();
  const page = await signedIn(browser, airlock, id);
  await page.getByText('Encoder settings').waitFor();
  await page.screenshot({ path: `${folder}/two-tracks.png`, fullPage: true });
  await browser.close();
}

async function goLive(airlock, key) {
  const response = await fetch(`${airlock.quickstart.http_url}/obs/go-live`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(obs32Request({ key })),
  });
  return response.json();
}

async function agreed(airlock, messages) {
  process.stdout.write('1. two tracks that the server asked for\n');
  const live = await airlock.createLive({ enable_multitrack: 'true' });
  const answer = await goLive(airlock, live.key);
  check('the answer has two tracks', answer.encoder_configurations?.length === 2, JSON.stringify(answer.meta));
  const encoder = await Publisher.open(airlock, `${live.key}?clientConfigId=${answer.meta.config_id}`);
  const sent = encoder.send(inRealTime(messages)).then(() => encoder.stop());
  await picture(airlock, live.id);
  const [main, second] = await Promise.all([0, 1].map((track) => bytesOfTrack(airlock, live.id, track)));
  check('both tracks are played', main > second && second > 10_000, `${main} and ${second} bytes in 8 s`);
  await sent;
  const rows = await findings(airlock, live.id);
  check('no errors', rows.length === 0, rows.map((row) => `${row.error_code} ${row.description}`).join('; '));
}

async function notAgreed(airlock, messages) {
  process.stdout.write('2. two tracks that nothing asked for\n');
  const live = await airlock.createLive();
  const encoder = await Publisher.open(airlock, live.key);
  await encoder.send(inRealTime(messages.slice(0, 800)));
  const rows = await findings(airlock, live.id);
  const codes = rows.map((row) => row.error_code);
  check('6216', codes.includes(6216), rows.map((row) => `${row.error_code} ${row.description}`).join('; '));
  await encoder.stop();
}

async function retuned(airlock, messages) {
  process.stdout.write('3. other settings by the form of the dashboard\n');
  const live = await airlock.createLive({ enable_multitrack: 'true' });
  const answer = await goLive(airlock, live.key);
  const encoder = await Publisher.open(airlock, `${live.key}?clientConfigId=${answer.meta.config_id}`);
  const sent = encoder.send(inRealTime(messages));
  const browser = await launchBrowser();
  const page = await signedIn(browser, airlock, live.id);
  await page.getByText('Encoder settings').click();
  await page.getByLabel('Profile').first().selectOption('480p30');
  await page.getByRole('button', { name: 'Change settings' }).click();
  if (folder !== undefined) await page.screenshot({ path: `${folder}/retune.png` });
  await page.getByRole('alertdialog').getByRole('button', { name: 'Change settings' }).click();
  await encoder.until(() => encoder.closed);
  check('the encoder is let go', true, JSON.stringify(encoder.statuses.at(-1)));
  await wait(1_000);
  if (folder !== undefined) await page.screenshot({ path: `${folder}/retuned.png` });
  await browser.close();
  await sent;
  const next = await goLive(airlock, live.key);
  const heights = next.encoder_configurations?.map((each) => each.height);
  check('the next answer has 480 lines', heights?.[0] === 480, JSON.stringify(heights ?? next));
}

const messages = messagesOf(readFileSync(capture));
process.stdout.write(`${messages.length} messages, ${Math.max(...messages.map((each) => each.timestampMs))} ms\n`);
const airlock = await Airlock.start();
try {
  await agreed(airlock, messages);
  await notAgreed(airlock, messages);
  await retuned(airlock, messages);
} finally {
  await airlock.stop();
}
process.exitCode = failures === 0 ? 0 : 1;

/** A file of bounds in force: in every process of a server that judges or answers, and in `validate`. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { Airlock, MAIN } from '../support/airlock.js';
import { FixturePublisher } from '../support/fixture-publisher.js';
import { flvFile } from '../support/flv-writer.js';
import { obs32Request } from '../support/go-live-request.js';
import { synthStream } from '../support/synth-stream.js';

const SPEC = join(import.meta.dirname, '../../examples/specs/strict-720p.json');
const NAME = expect.stringMatching(/^720p only \(sha256 [0-9a-f]{12}\)$/);
/** Conforms to the published specification. */
const stream = { keyFrameIntervalMs: 3000, durationMs: 8000 };
const run = promisify(execFile);

let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start({ AIRLOCK_SPEC: SPEC });
}, 60_000);
afterAll(() => airlock.stop());

test('the ingest process judges by it, and GET names it', async () => {
  const { stream_key, live_video_id, http_url, access_token } = airlock.quickstart;
  const publisher = await FixturePublisher.open({ airlock, plainPort: 0 }, stream_key, false);
  await publisher.send(synthStream(stream), undefined);
  await publisher.stop();
  const answer = await fetch(`${http_url}/${live_video_id}/errors?error_code=6208&access_token=${access_token}`);
  const { data } = (await answer.json()) as { data: object[] };
  expect(data).toEqual([expect.objectContaining({ error_code: 6208, limit: 2000, spec: NAME })]);
}, 60_000);

test('the web process answers OBS with a profile of its table', async () => {
  const { stream_key: key, http_url } = airlock.quickstart;
  const body = JSON.stringify(obs32Request({ key, canvas: [1920, 1080], fps: [30, 1] }));
  const answer = await fetch(`${http_url}/obs/go-live`, { method: 'POST', body });
  expect(await answer.json()).toMatchObject({ encoder_configurations: [{ width: 1280, height: 720 }] });
}, 60_000);

test('the pages get the bounds before they read the specification', async () => {
  const { http_url } = airlock.quickstart;
  const html = await (await fetch(`${http_url}/dashboard/`)).text();
  const [first = '', second = ''] = [...html.matchAll(/<script [^>]*src="([^"]+)"/g)].map((match) => match[1] ?? '');
  expect([first, second]).toEqual([expect.stringMatching(/bounds-/), expect.stringMatching(/index-/)]);
  const browser = createContext({});
  runInContext(await (await fetch(new URL(first, http_url))).text(), browser);
  const { house } = runInContext("globalThis[Symbol.for('airlock.house-spec')]", browser);
  expect(house).toMatchObject({ name: NAME, live: { keyFrameInterval: { maxMs: 2000 } } });
}, 60_000);

test('validate judges by it, and says what is wrong with a file of bounds', async () => {
  const file = join(airlock.folder, 'three-seconds.flv');
  writeFileSync(file, flvFile(synthStream(stream)));
  const validate = (...options: string[]) => run(process.execPath, [MAIN, 'validate', file, ...options]);
  await expect(validate('--quiet')).resolves.toMatchObject({ stdout: '' });
  const failed = await validate('--spec', SPEC, '--format', 'json').catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 1 });
  const [report] = JSON.parse((failed as { stdout: string }).stdout).files;
  expect(report.errors).toContainEqual(expect.objectContaining({ error_code: 6208, limit: 2000, spec: NAME }));
  const wrong = join(airlock.folder, 'wrong.json');
  writeFileSync(wrong, '{"tolerances":{"KEY_FRAMES":{"overdue":{"value":1}}}}');
  const refused = await validate('--spec', wrong).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('KEY_FRAMES.overdue is not a tolerance') });
}, 60_000);

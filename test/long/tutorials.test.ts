/** The commands of README.md and of the tutorials, as they stand there but for the port, with a server in the folder. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Airlock } from '../support/airlock.js';
import { flvFile } from '../support/flv-writer.js';
import { synthStream } from '../support/synth-stream.js';

const ROOT = join(import.meta.dirname, '../..');
let airlock: Airlock;
beforeAll(async () => {
  airlock = await Airlock.start();
  symlinkSync(join(ROOT, 'dist'), join(airlock.folder, 'dist'));
});
afterAll(() => airlock.stop());

/** Blocks of a page in one script. */
function scriptOf(page: string): string {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return (
    [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)]
      .map(([, , script = '']) => script)
      // The server runs already, and this is a test.
      .filter((script) => !/^\s*(?:# Not run by a test|npm ci)/.test(script))
      .join('\n')
  );
}

function run(page: string): Promise<{ code: number; output: string }> {
  const script = `airlock() { node dist/main.js "$@"; }\n${scriptOf(page).replaceAll('http://localhost:8080', airlock.quickstart.http_url)}`;
  return new Promise((resolve) => {
    const options = ['-e', '-u', '-o', 'pipefail', '-c', script];
    const env = { ...process.env, SECURE_STREAM_URL: airlock.quickstart.secure_stream_url };
    execFile('bash', options, { cwd: airlock.folder, env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, output: stdout + stderr }),
    );
  });
}

test('from ffmpeg: a broadcast with a mistake, and one without', async () => {
  const { code, output } = await run('docs/tutorials/ffmpeg.md');
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('errors were found') });
});

test('from GStreamer: a conforming broadcast', async () => {
  const before = await airlock.errors(airlock.quickstart.live_video_id);
  expect(await run('docs/tutorials/gstreamer.md')).toMatchObject({ code: 0 });
  const after = await airlock.errors(airlock.quickstart.live_video_id);
  // On a busy machine the live source of GStreamer repeats stamps, which 6411 reports.
  const isNew = ({ id, error_code: code }: (typeof after)[number]) =>
    code !== 6411 && !before.some((old) => old.id === id);
  expect(after.filter(isNew)).toEqual([]);
});

test('README: errors by HTTP, validate and replay', async () => {
  mkdirSync(join(airlock.folder, 'recordings'));
  const recording = flvFile(synthStream({ durationMs: 4000, width: 640, height: 360, videoKbps: 600 }));
  for (const name of ['recording.flv', 'recordings/one.flv']) writeFileSync(join(airlock.folder, name), recording);
  const { code, output } = await run('README.md');
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('"data":[') });
});

test('in CI: faults that were known before do not fail a job', async () => {
  const recording = flvFile(synthStream({ durationMs: 4000, width: 640, height: 360, videoKbps: 600, channels: 1 }));
  writeFileSync(join(airlock.folder, 'recordings/one.flv'), recording);
  expect(await run('docs/tutorials/ci.md')).toMatchObject({ code: 0 });
});

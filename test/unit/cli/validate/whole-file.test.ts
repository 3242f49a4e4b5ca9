/** Files shorter than the measuring windows are judged by their whole. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from '../../../support/cli.js';
import { flvFile } from '../../../support/flv-writer.js';
import { folderOfFile } from '../../../support/folders.js';
import { type SynthOptions, synthStream } from '../../../support/synth-stream.js';

const folder = folderOfFile('airlock-whole-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function judged(options: SynthOptions) {
  writeFileSync(join(folder, 'short.flv'), flvFile(synthStream(options)));
  const run = await runCli(['validate', 'short.flv', '--format', 'json'], { cwd: folder });
  const [file] = JSON.parse(run.stdout).files;
  return {
    code: run.code,
    errors: file.errors.map((record: { error_code: number }) => record.error_code) as number[],
    file,
    verdict: (code: number): string => file.rules.find((rule: { code: number }) => rule.code === code).judged,
  };
}

const small = { width: 640, height: 360, levelIdc: 30 };

test.each<[string, SynthOptions, number[], number]>([
  ['8 s at 9 Mbps in 360p', { durationMs: 8000, ...small, videoKbps: 9000 }, [6210], 1],
  ['12 s, longer than the window but not than its hold', { durationMs: 12_000, ...small, videoKbps: 9000 }, [6210], 1],
  ['8 s below the range', { durationMs: 8000, videoKbps: 900 }, [6211], 0],
  ['8 s of 320 kbps audio', { durationMs: 8000, audioKbps: 320 }, [6305, 6306], 1],
  ['6 s of 192 kbps audio', { durationMs: 6000, audioKbps: 192 }, [6306], 0],
  ['3 s without audio', { durationMs: 3000, audio: false }, [6402], 1],
  ['0.5 s without video', { durationMs: 500, video: false }, [6401], 1],
  ['2 s at 120 fps', { durationMs: 2000, fps: 120 }, [6206], 1],
  ['3 s with four key frames a second', { durationMs: 3000, keyFrameIntervalMs: 250 }, [6215], 0],
  ['8 s with a key frame every 3 s', { durationMs: 8000, keyFrameIntervalMs: 3000 }, [6209], 0],
  ['level 4.2 at 30 fps, before the class is settled', { durationMs: 2000, levelIdc: 42 }, [6202], 1],
])('%s', async (_what, options, errors, code) => {
  const run = await judged(options);
  expect([run.errors, run.code]).toEqual([errors, code]);
});

test('a clean file is judged by every rule with a window, and the report says how', async () => {
  const run = await judged({ durationMs: 8000 });
  expect([run.errors, run.code]).toEqual([[], 0]);
  const windows = [6206, 6210, 6211, 6305, 6306, 6401, 6402, 6405, 6408];
  expect(windows.filter((code) => run.verdict(code) !== 'pass')).toEqual([]);
  expect(run.file.stream).toMatchObject({ videoBitrateKbps: 2500, audioBitrateKbps: 128 });
  expect(run.file.notes).toEqual([expect.stringMatching(/judged over the whole (7\.9|8\.0) s: .*6210, 6211/)]);
});

test('below one second no rate is judged; from 20 s on, windows decide alone', async () => {
  const few = await judged({ durationMs: 600, ...small, videoKbps: 9000 });
  expect([few.errors, few.verdict(6210)]).toEqual([[], 'not-judged']);
  const long = await judged({ durationMs: 21_000 });
  expect([long.errors, long.file.notes]).toEqual([[], []]);
});

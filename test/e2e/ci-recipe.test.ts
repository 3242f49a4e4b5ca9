/** The commands of docs/validate.md for CI, as they stand there, with the built program. */

import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flvFile } from '../support/flv-writer.js';
import { folderOfFile } from '../support/folders.js';
import { inFull } from '../support/in-full.js';
import { copyCertificates } from '../support/kept-certificates.js';
import { until } from '../support/store-harness.js';
import { synthStream } from '../support/synth-stream.js';

const ROOT = join(import.meta.dirname, '../..');
const folder = folderOfFile('airlock-recipe-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const page = readFileSync(join(ROOT, 'docs/validate.md'), 'utf8');
const recipe = /<!-- recipe -->\n```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? '';

/** A folder with an `npx` that starts the command for a fifth of the processor time. The first run of the recipe has npx itself. */
const quick = join(folder, 'quick');

function shell(script: string, ...before: readonly string[]): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve) => {
    // npm keeps a link to each folder from which npx was run.
    const env = {
      ...process.env,
      npm_config_cache: join(folder, 'npm'),
      PATH: [...before, process.env.PATH].join(':'),
    };
    execFile('bash', ['-e', '-u', '-c', script], { cwd: folder, env }, (error, _stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr }),
    );
  });
}

const record = (channels: 1 | 2) =>
  writeFileSync(
    join(folder, 'recording.flv'),
    flvFile(synthStream({ durationMs: 4000, width: 640, height: 360, videoKbps: 600, channels })),
  );
const kept = () => JSON.parse(readFileSync(join(folder, 'errors.json'), 'utf8')).errors;
const log = () => readFileSync(join(folder, 'airlock.log'), 'utf8');
/** npx ends before the server that it runs. */
const stopped = () => until(() => /"msg":"stopped"\}\n$/.test(log()));

beforeAll(() => {
  copyCertificates(join(folder, 'certs'));
  mkdirSync(quick);
  writeFileSync(join(quick, 'npx'), '#!/bin/sh\nname=$1\nshift\nexec node "bin/$name.js" "$@"\n', { mode: 0o755 });
  for (const name of ['bin', 'dist', 'node_modules', 'package.json']) symlinkSync(join(ROOT, name), join(folder, name));
});

inFull('starts, replays, queries and stops as the recipe says', async () => {
  record(2);
  const { code, stderr } = await shell(recipe);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  expect(readFileSync(join(folder, 'replay.xml'), 'utf8')).toMatch(/<testsuites [^>]*failures="0" errors="0"/);
  expect(kept()).toEqual([]);
  await stopped();
});

test('exits with 1, keeps the records and stops the server for a recording with a fault', async () => {
  record(1);
  expect(await shell(recipe, quick)).toMatchObject({ code: 1 });
  expect(readFileSync(join(folder, 'replay.xml'), 'utf8')).toMatch(/<testsuites [^>]*failures="1" errors="0"/);
  expect(kept()).toEqual([expect.objectContaining({ error_code: 6304 })]);
  await stopped();
});

test('ends the job when the server does not start', async () => {
  const { code } = await shell(`export AIRLOCK_RECORD=perhaps\n${recipe}`, quick);
  expect(code).not.toBe(0);
  expect(log()).toMatch(/AIRLOCK_RECORD/);
});

test('the jobs of both CI services run exactly these lines', () => {
  const jobs = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml);
  const scripts = jobs.flatMap((yaml) => {
    // A block of YAML ends with the first line that is indented less.
    const [, indent = '', first = '', rest = ''] = /\|\n( +)(\S.*\n)((?:\1.*\n)*)/.exec(yaml) ?? [];
    return indent === '' ? [] : [first + rest.replaceAll(`\n${indent}`, '\n').slice(indent.length)];
  });
  expect(scripts).toEqual([recipe, recipe]);
});

describe('action.yml', () => {
  const action = readFileSync(join(ROOT, 'action.yml'), 'utf8');
  /** The scripts of the steps, in order. */
  const steps = [...action.matchAll(/^ {6}run: \|\n((?: {8}.*\n|\n)+)/gm)].map(([, text = '']) =>
    text.replaceAll(/^ {8}/gm, ''),
  );
  const env = join(folder, 'github.env');
  const inputs = (files: string) =>
    `export FILES='${files}' SPEC=live PROFILE= FAIL_ON=error BASELINE= AIRLOCK_PACKAGE= GITHUB_ENV='${env}' GITHUB_ACTION_PATH='${ROOT}'`;
  const runSteps = (files: string) =>
    shell(
      `${inputs(files)}\n: > "$GITHUB_ENV"\n(${steps[0]})\nwhile IFS= read -r line; do export "$line"; done < "$GITHUB_ENV"\n${steps[1]}`,
    );

  test('its steps pass a conforming recording and fail one with an error', async () => {
    expect(steps).toHaveLength(2);
    record(2);
    expect(await runSteps('recording.flv\n')).toMatchObject({ code: 0 });
    record(1);
    expect((await runSteps('recording.flv')).code).toBe(1);
    expect((await runSteps('none.flv')).code).toBe(2);
  });

  test('the entry of the pre-commit hook is a command, for files of these names', async () => {
    const hook = readFileSync(join(ROOT, '.pre-commit-hooks.yaml'), 'utf8');
    const field = (name: string) => new RegExp(`^ {2}${name}: (.*)$`, 'm').exec(hook)?.[1] ?? '';
    expect('take one.flv').toMatch(new RegExp(field('files')));
    expect('notes.txt').not.toMatch(new RegExp(field('files')));
    record(2);
    const entry = field('entry').replace('airlock', 'node dist/main.js');
    expect((await shell(`${entry} recording.flv`)).code).toBe(0);
  });
});

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cage } from '../../src/probe/cage/cage.js';
import { LimitedTools } from '../../src/probe/limited-tools.js';
import { Pool, PoolFullError } from '../../src/probe/pool.js';
import { findTools, missingTools } from '../../src/probe/tool-paths.js';
import { strongCage } from '../support/cage.js';
import { memoryLog, temporaryFolderOfFile } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
let cage: Cage;

beforeAll(async () => {
  cage = await strongCage(join(folder.path, 'tools'));
});
afterAll(() => folder.remove());

function program(name: string, script: string): string {
  const path = join(folder.path, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('finds the tools as configured, else on the PATH, else in the packages', () => {
  expect(findTools({ ffmpegPath: '/a/ffmpeg', ffprobePath: '/b/ffprobe' })).toEqual({
    ffmpeg: '/a/ffmpeg',
    ffprobe: '/b/ffprobe',
  });
  mkdirSync(join(folder.path, 'bin'));
  const onPath = program('bin/ffprobe', 'true');
  const { ffmpeg, ffprobe } = findTools({}, `/nowhere:${join(folder.path, 'bin')}`);
  expect(ffprobe).toBe(onPath);
  expect(ffmpeg).toContain('@ffmpeg-installer');
  expect(execFileSync(ffmpeg, ['-version']).toString()).toMatch(/^ffmpeg version/);
  expect(execFileSync(findTools({}, '').ffprobe, ['-version']).toString()).toMatch(/^ffprobe version/);
  expect(findTools({ ffprobePath: 'ffprobe' }, join(folder.path, 'bin')).ffprobe).toBe(onPath);
});

test('uses no bundled binary where others can send files, and names what must be installed', () => {
  const others = { servesOthers: true };
  expect(findTools(others, '')).toEqual({ ffmpeg: 'ffmpeg', ffprobe: 'ffprobe' });
  expect(missingTools(others, '')).toMatch(/^ffmpeg and ffprobe must be installed on the server/);
  expect(missingTools({ ...others, ffmpegPath: '/a/ffmpeg' }, '')).toMatch(/^ffprobe must be installed/);
  expect(missingTools({ ...others, ffmpegPath: '/a/ffmpeg', ffprobePath: '/a/ffprobe' }, '')).toBeUndefined();
  expect(missingTools({}, '')).toBeUndefined();
});

test('runs a program with bounded memory, without core files, in an empty environment', async () => {
  const shows = program("it's shown", 'ulimit -v; ulimit -c; env | cut -d= -f1 | sort | tr "\\n" " "; nice');
  process.env.AIRLOCK_KEY_SECRET = 'never to be seen';
  const log = memoryLog();
  const tools = await LimitedTools.open({ ffmpeg: shows, ffprobe: shows }, cage, log);
  delete process.env.AIRLOCK_KEY_SECRET;
  const [memory, core, rest = ''] = (await tools.probe(() => [], { timeoutMs: 10_000, stdoutMax: 10_000 })).split('\n');
  expect(Number(memory)).toBeGreaterThan(0);
  expect(core).toBe('0');
  expect(rest).not.toContain('AIRLOCK');
  expect(rest.split(' ').filter((name) => /^[A-Z]{4,}/.test(name))).toEqual(['HOME', 'PATH']);
  expect(log.lines).toEqual([]);
});

test('reports timeout, too much output, failure and a missing program', async () => {
  const odd = program(
    'odd',
    'case $1 in -version) ;; slow) exec sleep 60 ;; loud) yes ;; bad) echo no luck >&2; exit 3 ;; cat) cat ;; esac',
  );
  const tools = await LimitedTools.open({ ffmpeg: odd, ffprobe: odd }, cage, memoryLog());
  const limits = { timeoutMs: 10_000, stdoutMax: 10_000 };
  await expect(tools.probe(() => ['slow'], { ...limits, timeoutMs: 50 })).rejects.toMatchObject({
    code: 'TOOL_TIMEOUT',
  });
  await expect(tools.probe(() => ['loud'], limits)).rejects.toMatchObject({ code: 'TOOL_OUTPUT' });
  await expect(tools.probe(() => ['bad'], limits)).rejects.toMatchObject({ code: 'TOOL_FAILED', message: 'no luck' });
  const stdin = Buffer.from('in and out');
  expect(await tools.probe(() => ['cat'], { ...limits, stdin })).toBe('in and out');
  const none = await LimitedTools.open({ ffmpeg: '/nowhere', ffprobe: '/nowhere' }, cage, memoryLog());
  await expect(none.probe(() => ['-version'], limits)).rejects.toMatchObject({ code: 'TOOL_MISSING' });
});

test('a pool bounds running and waiting work, and a failure frees the slot', async () => {
  const pool = new Pool(1, 1);
  const ends: (() => void)[] = [];
  const first = pool.run(() => new Promise<void>((resolve) => ends.push(resolve)));
  const second = pool.run(async () => {
    throw new Error('failed');
  });
  expect(pool.hasRoom).toBe(false);
  await expect(pool.run(async () => 1)).rejects.toBeInstanceOf(PoolFullError);
  ends[0]?.();
  await first;
  await expect(second).rejects.toThrow('failed');
  expect(await pool.run(async () => 2)).toBe(2);
});

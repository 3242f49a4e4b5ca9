/** Ctrl-C and SIGTERM, as real signals to the built program. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Airlock, MAIN } from '../support/airlock.js';
import { ffmpeg } from '../support/ffmpeg.js';
import { flvFile } from '../support/flv-writer.js';
import { folderOfFile } from '../support/folders.js';
import { inFull } from '../support/in-full.js';
import { synthStream } from '../support/synth-stream.js';

const folder = folderOfFile('airlock-replay-stopped-');
let airlock: Airlock;

beforeAll(async () => {
  airlock = await Airlock.start();
  const mono = { durationMs: 120_000, width: 640, height: 360, videoKbps: 300, channels: 1 } as const;
  writeFileSync(join(folder, 'mono.flv'), flvFile(synthStream(mono)));
  mkdirSync(join(folder, 'set'));
  writeFileSync(join(folder, 'set', 'mono.flv'), flvFile(synthStream(mono)));
});
afterAll(async () => {
  await airlock.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The program in its own process group, as a shell starts it, so that Ctrl-C reaches the whole group. */
class Run {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #closed: Promise<unknown>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.#child = spawn(process.execPath, [MAIN, ...args], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: '', ...env },
    });
    this.#closed = once(this.#child, 'close');
    this.#child.stdout.on('data', (bytes: Buffer) => {
      this.stdout += bytes.toString();
    });
    this.#child.stderr.on('data', (bytes: Buffer) => {
      this.stderr += bytes.toString();
    });
  }

  /** Waits for a text on either output. */
  async said(words: string): Promise<void> {
    while (!(this.stdout + this.stderr).includes(words)) {
      await Promise.race([
        once(this.#child.stdout, 'data'),
        once(this.#child.stderr, 'data'),
        this.#closed.then(() => Promise.reject(new Error(`it ended:\n${this.stdout}\n${this.stderr}`))),
      ]);
    }
  }

  signal(signal: NodeJS.Signals, to: 'process' | 'group' = 'process'): void {
    const { pid = 0 } = this.#child;
    process.kill(to === 'group' ? -pid : pid, signal);
  }

  /** The exit code, or the signal that ended the process. */
  async ended(): Promise<number | NodeJS.Signals | null> {
    await this.#closed;
    return this.#child.exitCode ?? this.#child.signalCode;
  }
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s: unpublished, the report of what came until then, exit %d', async (signal, code) => {
  const logged = airlock.log.length;
  const live = await airlock.createLive();
  const run = new Run(['replay', 'mono.flv', '--to', live.url, '--ca', airlock.authorityFile]);
  await run.said('NetStream.Publish.Violation');
  run.signal(signal);
  expect(await run.ended()).toBe(code);
  expect(run.stdout).toMatch(
    /mono\.flv: 1 error[\s\S]*\nstopped after 0:00:0[\s\S]* {2}error at 0:00:00\.000\n.*\[6304 /,
  );
  expect(run.stderr).toBe('airlock: stopping; the report follows (press Ctrl-C again to exit without it)\n');
  await airlock.until(
    async () => airlock.log.slice(logged),
    (log) => log.includes('connection closed'),
  );
  expect(airlock.log.slice(logged)).toMatch(/"cause":"FCUnpublish".*"connection closed"/);
});

test('Ctrl-C also ends the remuxing tool; the report in --output lists what was not sent', async () => {
  await ffmpeg(['-i', join(folder, 'mono.flv'), '-c', 'copy', join(folder, 'mono.mp4')]);
  writeFileSync(join(folder, 'expected.json'), '[6304, 6208]');
  const live = await airlock.createLive();
  const report = ['--format', 'junit', '--output', 'stopped.xml', '--expect', 'expected.json'];
  const run = new Run(['replay', 'mono.mp4', 'mono.flv', '--to', live.url, '--ca', airlock.authorityFile, ...report]);
  await run.said('NetStream.Publish.Violation');
  run.signal('SIGINT', 'group');
  expect(await run.ended()).toBe(130);
  const xml = readFileSync(join(folder, 'stopped.xml'), 'utf8');
  expect(xml).toMatch(/classname="mono.mp4" name="published" time="0"><system-out>stopped after 0:00:/);
  expect(xml).toMatch(/classname="mono.mp4" name="6304 [\s\S]*<failure/);
  expect(xml).toMatch(/classname="mono.flv" name="published"[^>]*><failure [^>]*"stopped before anything was sent"/);
  // The expectation holds for the whole recording only.
  expect(xml).not.toContain('expected errors');
});

inFull('a hung server delays a stop by seconds at most, and a second Ctrl-C not at all', async () => {
  const lives = [await airlock.createLive(), await airlock.createLive()];
  const [patient, hasty] = lives.map(
    ({ url }) => new Run(['replay', 'mono.flv', '--to', url, '--ca', airlock.authorityFile]),
  ) as [Run, Run];
  await Promise.all([patient, hasty].map((run) => run.said('NetStream.Publish.Violation')));
  for (const pid of airlock.pids) process.kill(pid, 'SIGSTOP');
  try {
    patient.signal('SIGINT');
    hasty.signal('SIGINT');
    await hasty.said('stopping');
    hasty.signal('SIGINT');
    expect(await hasty.ended()).toBe(130);
    expect(hasty.stdout).not.toContain('stopped after');
    expect(await patient.ended()).toBe(130);
    expect(patient.stdout).toMatch(/stopped after 0:00:/);
  } finally {
    for (const pid of airlock.pids) process.kill(pid, 'SIGCONT');
  }
});

test('reports a stop before the server answered, without an error of the server', async () => {
  const silent = createServer((socket) => socket.resume().on('error', () => socket.destroy()));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const run = new Run(['replay', 'mono.flv', '--to', `rtmp://127.0.0.1:${port}/live/key`]);
  await once(silent, 'connection');
  run.signal('SIGINT');
  expect(await run.ended()).toBe(130);
  expect(run.stdout).toMatch(/not published[\s\S]*stopped before anything was sent/);
  await new Promise((resolve) => silent.close(resolve));
});

test('fixtures prints the table of what was sent and leaves nothing behind', async () => {
  const place = join(folder, 'tmp');
  mkdirSync(place);
  const run = new Run(['fixtures', 'set'], { TMPDIR: place });
  await run.said('publishing set/mono.flv');
  run.signal('SIGINT');
  expect(await run.ended()).toBe(130);
  expect(run.stdout).toContain('without errors');
  expect(readdirSync(place).filter((name) => name.startsWith('airlock-'))).toEqual([]);
});

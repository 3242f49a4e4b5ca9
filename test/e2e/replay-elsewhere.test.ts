/** `airlock replay` against another RTMP server: node-media-server in its own process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runCli } from '../support/cli.js';
import { flvFile } from '../support/flv-writer.js';
import { folderOfFile } from '../support/folders.js';
import { synthStream } from '../support/synth-stream.js';

const folder = folderOfFile('airlock-elsewhere-');
const SERVER = `
  import NodeMediaServer from 'node-media-server';
  const [rtmp, http] = process.argv.slice(1).map(Number);
  const server = new NodeMediaServer({ bind: '127.0.0.1', rtmp: { port: rtmp }, http: { port: http } });
  // Its own end event waits for the encoder to reconnect.
  server.on('postPublish', (session) => session.socket.once('close', () =>
    console.log('DONE', JSON.stringify({ streamPath: session.streamPath, inBytes: session.inBytes }))));
  server.run();
`;
let server: ChildProcess;
let port = 0;
const ended = new Map<string, number>();
const waiting: (() => void)[] = [];

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Retries until the server listens; each refusal returns immediately. */
async function untilListening(): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const answer = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    socket.destroy();
    if (answer) return;
    if (server.exitCode !== null) throw new Error('node-media-server ended');
  }
}

beforeAll(async () => {
  port = await freePort();
  const args = ['--input-type=module', '-e', SERVER, String(port), String(await freePort())];
  server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  createInterface({ input: server.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const said = /DONE (.*)/.exec(line)?.[1];
    if (said === undefined) return;
    const { streamPath, inBytes } = JSON.parse(said);
    ended.set(streamPath, inBytes);
    for (const look of waiting) look();
  });
  await untilListening();
});
afterAll(() => {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function allEnded(...paths: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const look = () => paths.every((path) => ended.has(path)) && resolve();
    waiting.push(look);
    look();
  });
}

test('publishes completely with several encoders, loops and every write option', async () => {
  const recording = flvFile(synthStream({ durationMs: 2000, width: 640, height: 360, videoKbps: 600 }));
  writeFileSync(join(folder, 'clip.flv'), recording);
  const to = ['--to', `rtmp://127.0.0.1:${port}/live`, '--key', 'load-{n}', '--connections', '3'];
  const how = ['--speed', 'max', '--loop', '2', '--jitter', '3', '--chunk-size', '60000', '--csid', '9'];
  const run = await runCli(['replay', 'clip.flv', ...to, ...how, '--timestamp-offset', '4294966296'], { cwd: folder });
  expect(run.code).toBe(0);
  expect(run.stdout.match(/published; no errors reported/g)).toHaveLength(3);
  await allEnded('/live/load-1', '/live/load-2', '/live/load-3');
  // Twice the recording without the overhead of FLV.
  for (const bytes of ended.values()) expect(bytes).toBeGreaterThan(1.8 * recording.length);
});

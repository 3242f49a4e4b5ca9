// The servers that are compared, each started fresh for its turn.
import { fork, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextMessage } from './measure.mjs';

const here = new URL('..', import.meta.url).pathname;
const main = join(here, '..', 'dist', 'main.js');

function forked(name, script, certificate) {
  return {
    name,
    async start(publishers, scratch) {
      const child = fork(join(here, 'servers', script), [certificate.cert, certificate.key], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      const { port } = await nextMessage(child, 'port');
      const keyFile = script === 'floor.mjs' ? undefined : join(scratch, 'names');
      if (keyFile) writeFileSync(keyFile, Array.from({ length: publishers }, (_, i) => `bench${i}`).join('\n'));
      return { pid: child.pid, port, keyFile, stop: () => stop(child) };
    },
  };
}

const stop = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('exit', resolve);
    child.kill('SIGKILL');
  });

async function untilFile(path, child) {
  while (!existsSync(path)) {
    if (child.exitCode !== null) throw new Error(`airlock ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Airlock as anybody runs it; `env` switches parts off or on. */
export function airlock(name, env = {}) {
  return {
    name,
    async start(publishers, scratch) {
      const data = mkdtempSync(join(scratch, 'data-'));
      const settings = {
        AIRLOCK_DATA_DIR: data,
        AIRLOCK_CERTS_DIR: join(scratch, 'certs'),
        AIRLOCK_RTMPS_PORT: '0',
        AIRLOCK_HTTP_PORT: '0',
        AIRLOCK_LOG_LEVEL: 'error',
        AIRLOCK_RECORD: 'off',
        ...env,
      };
      const child = spawn(process.execPath, [main, 'serve'], {
        env: { ...process.env, ...settings },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const quickstart = await untilFile(join(data, 'quickstart.json'), child);
      const keys = [];
      for (let i = 0; i < publishers; i++) {
        const answer = await fetch(`${quickstart.http_url}/${quickstart.page_id}/live_videos`, {
          method: 'POST',
          body: new URLSearchParams({
            access_token: quickstart.access_token,
            status: 'LIVE_NOW',
            fields: 'secure_stream_url',
          }),
        });
        const { secure_stream_url: url } = await answer.json();
        keys.push(url.slice(url.lastIndexOf('/') + 1));
      }
      const keyFile = join(scratch, 'keys');
      writeFileSync(keyFile, keys.join('\n'));
      const stopAll = async () => {
        await stop(child);
        rmSync(data, { recursive: true, force: true });
      };
      return { pid: child.pid, port: quickstart.rtmps_port, keyFile, stop: stopAll };
    },
  };
}

export const floor = (certificate) => forked('bare Node TLS (floor)', 'floor.mjs', certificate);
export const nodeMediaServer = (certificate) => forked('node-media-server', 'node-media-server.mjs', certificate);

export const scratchFolder = () => mkdtempSync(join(tmpdir(), 'airlock-bench-run-'));

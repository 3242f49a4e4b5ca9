// Airlock as anybody runs it, on a fresh data folder, with a live video for each publisher.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { family, titleOf } from './measure.mjs';
import { ours, stop } from './processes.mjs';

const root = join(import.meta.dirname, '../..');
/** What `npm start` runs, so that what is measured is what people run. */
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const startArguments = scripts.start.split(' ').slice(1);
const AT_ONCE = 10;
const FIELDS = 'secure_stream_url,secure_stream_secondary_urls';

export const buildIfStale = () =>
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--if-stale'], { stdio: 'inherit' });

async function untilReady(file, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`airlock ended with ${child.exitCode}`);
    if (existsSync(file)) {
      const quickstart = JSON.parse(readFileSync(file, 'utf8'));
      const answer = await fetch(`${quickstart.http_url}/healthz`).catch(() => undefined);
      if (answer?.ok) return quickstart;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** `env` switches parts off or on. */
export async function startAirlock({ scratch, publishers = 0, env = {} }) {
  const data = mkdtempSync(join(scratch, 'data-'));
  const child = ours(
    spawn(process.execPath, startArguments, {
      cwd: root,
      env: {
        ...process.env,
        AIRLOCK_DATA_DIR: data,
        AIRLOCK_CERTS_DIR: join(scratch, 'certs'),
        AIRLOCK_RTMPS_PORT: '0',
        AIRLOCK_HTTP_PORT: '0',
        AIRLOCK_OWNER_MAX_PUBLISHERS: '0',
        AIRLOCK_LOG_LEVEL: 'error',
        AIRLOCK_RECORD: 'off',
        ...env,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  const quickstart = await untilReady(join(data, 'quickstart.json'), child);
  const { http_url: url, access_token: token, page_id: page } = quickstart;

  /** `params`: more of the request. */
  async function createLive(params = {}) {
    const keyOf = (address) => address?.slice(address.lastIndexOf('/') + 1);
    const answer = await fetch(`${url}/${page}/live_videos`, {
      method: 'POST',
      body: new URLSearchParams({ access_token: token, status: 'LIVE_NOW', fields: FIELDS, ...params }),
    });
    const { id, secure_stream_url: address, secure_stream_secondary_urls: [second] = [] } = await answer.json();
    return { id, key: keyOf(address), backupKey: keyOf(second) };
  }

  const lives = [];
  while (lives.length < publishers) {
    const next = Array.from({ length: Math.min(AT_ONCE, publishers - lives.length) }, () => createLive());
    lives.push(...(await Promise.all(next)));
  }
  /** A process of the server's own program; the rest are ffmpeg and ffprobe. */
  const carries = (pid) => titleOf(pid).startsWith('airlock-');

  return {
    child,
    quickstart,
    data,
    lives,
    createLive,
    port: quickstart.rtmps_port,
    keys: lives.map((live) => live.key),
    roots: [child.pid],
    carriers: () => family(child.pid).filter(carries),
    async viewerAddresses(count) {
      const ask = async (_, i) => {
        const answer = await fetch(`${url}/playback/${lives[i % lives.length].id}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        return new URL((await answer.json()).flv_path, url).href;
      };
      return Promise.all(Array.from({ length: count }, ask));
    },
    async stop() {
      await stop(child);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

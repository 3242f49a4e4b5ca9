// A built server of the bench's own, in a folder that goes with it, and its store while the server is down.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ours } from './processes.mjs';

export const ROOT = join(import.meta.dirname, '..', '..');

export function serverFolder(redisUrl) {
  const path = mkdtempSync(join(tmpdir(), 'airlock-bench-'));
  const env = {
    ...process.env,
    AIRLOCK_DATA_DIR: join(path, 'data'),
    AIRLOCK_CERTS_DIR: join(path, 'certs'),
    AIRLOCK_RTMPS_PORT: '0',
    AIRLOCK_HTTP_PORT: '0',
    AIRLOCK_OWNER_MAX_PUBLISHERS: '0',
    AIRLOCK_LOG_LEVEL: 'warn',
    ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
  };
  return { path, env, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export async function startAirlock({ env }) {
  const child = ours(
    spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  const file = join(env.AIRLOCK_DATA_DIR, 'quickstart.json');
  for await (const _line of child.stdout) {
    if (!existsSync(file)) continue;
    const quickstart = JSON.parse(readFileSync(file, 'utf8'));
    try {
      await fetch(`${quickstart.http_url}/healthz`);
      return { child, quickstart };
    } catch {
      // Not listening yet: the file is of an earlier start.
    }
  }
  throw new Error('airlock did not start');
}

export async function stop(child) {
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}

/** Opens the store of a server that is down. */
export async function withStore({ env }, work) {
  const { openStore } = await import(join(ROOT, 'dist', 'store', 'open.js'));
  const clock = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };
  const nothing = () => undefined;
  const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => quiet };
  const store = await openStore({ dataDir: env.AIRLOCK_DATA_DIR, redisUrl: env.REDIS_URL, log: quiet, clock });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Faults of a live video as the journal would write them: numbers `from` to `from + count - 1`. */
export function faults(liveVideoId, from, count) {
  const packet = { kind: 'video', decodeTimeMs: 4050, presentationTimeMs: 4083, messageNumber: 7, byteOffset: 9000 };
  return Array.from({ length: count }, (_, index) => ({
    broadcastId: liveVideoId,
    fence: 1,
    number: from + index,
    change: {
      change: 'raised',
      body: {
        id: `${liveVideoId}_1_${from + index}`,
        error_code: 6208,
        error_subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR',
        error_type: 'KEY_FRAME_INTERVAL_TOO_LONG',
        description: '[6208 KEY_FRAME_INTERVAL_TOO_LONG] 6.0 s between key frames, the bound is 4 s. Set it to 2 s.',
        severity: 'error',
        timestampMs: Date.now(),
        stream_time_ms: 4050,
        observed: 6000,
        worst: 6000,
        limit: 4000,
        unit: 'ms',
        clause: 'Key frame interval',
        remediation: 'Set the key frame interval to 2 s.',
        cleared_time_ms: null,
        count: 1,
        evidence: { first: packet, last: packet },
        source: 'stream',
      },
    },
  }));
}

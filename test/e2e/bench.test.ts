/** The benchmark measures what it says: every server that is asked for is tried, or named with the reason why not. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

const SERVERS = {
  floor: 'bare Node TLS (floor)',
  airlock: 'Airlock, validating',
  'nginx-rtmp': 'nginx-rtmp behind nginx TLS',
  srs: 'SRS behind nginx TLS',
};

interface Result {
  readonly subject: keyof typeof SERVERS;
  readonly load: { readonly mode: string };
  readonly cpuPerGb: number;
  readonly mbps: number;
  readonly plannedMbps: number;
}

test('measures each server of a small run or names it as not tried', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-bench-test-'));
  try {
    const json = join(folder, 'results.json');
    const small = ['--publishers', '2', '--seconds', '1', '--warmup', '1', '--json', json];
    const { stdout } = await run(
      process.execPath,
      ['bench/run.mjs', ...small, '--only', Object.keys(SERVERS).join(',')],
      { cwd: ROOT },
    );
    const results: Result[] = JSON.parse(readFileSync(json, 'utf8'));
    const measured = new Set(results.map((result) => result.subject));
    const named = Object.entries(SERVERS).filter(([, name]) => stdout.includes(`Not tried: ${name} (`));
    expect([...measured, ...named.map(([key]) => key)].sort()).toEqual(Object.keys(SERVERS).sort());
    expect([...measured]).toEqual(expect.arrayContaining(['floor', 'airlock']));
    // Bytes that the server did not take are not counted as taken.
    for (const { mbps, plannedMbps } of results) expect([mbps > 0, mbps < plannedMbps * 1.5]).toEqual([true, true]);
    for (const { load, mbps } of results) if (load.mode === 'paced') expect(mbps).toBeLessThan(30);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('refuses an unknown server by name', async () => {
  const asked = run(process.execPath, ['bench/run.mjs', '--only', 'floor,apache'], { cwd: ROOT });
  await expect(asked).rejects.toThrow('no such server: apache');
});

/** A small run of the benchmark. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** How the benchmark calls each server, by its key in `--only`. */
export const SERVERS = {
  floor: 'bare Node TLS (floor)',
  airlock: 'Airlock, validating',
  'nginx-rtmp': 'nginx-rtmp behind nginx TLS',
  srs: 'SRS behind nginx TLS',
};
export type Server = keyof typeof SERVERS;

interface Result {
  readonly subject: Server;
  readonly load: { readonly mode: string };
  readonly cpuPerGb: number;
  readonly mbps: number;
  readonly plannedMbps: number;
}

export const runBench = (...args: readonly string[]) =>
  run(process.execPath, ['bench/run.mjs', ...args], { cwd: ROOT });

/** Each of these is measured, or named with the reason why not. */
export async function expectMeasured(servers: readonly Server[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-bench-test-'));
  try {
    const json = join(folder, 'results.json');
    const small = ['--publishers', '2', '--seconds', '1', '--warmup', '1', '--json', json];
    const { stdout } = await runBench(...small, '--only', servers.join(','));
    const results: Result[] = JSON.parse(readFileSync(json, 'utf8'));
    const measured = new Set(results.map((result) => result.subject));
    const named = servers.filter((server) => stdout.includes(`Not tried: ${SERVERS[server]} (`));
    expect([...measured, ...named].sort()).toEqual([...servers].sort());
    expect([...measured]).toEqual(expect.arrayContaining(['floor', 'airlock']));
    // Bytes that the server did not take are not counted as taken.
    for (const { mbps, plannedMbps } of results) expect([mbps > 0, mbps < plannedMbps * 1.5]).toEqual([true, true]);
    for (const { load, mbps } of results) if (load.mode === 'paced') expect(mbps).toBeLessThan(30);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The conformance cases against the built server, by the command line. */

import { Airlock } from './airlock.js';
import { runCli } from './cli.js';
import { freePort } from './redis-server.js';

export interface ConformServer {
  readonly airlock: Airlock;
  readonly plainPort: number;
}

export async function startConformServer(): Promise<ConformServer> {
  const plainPort = await freePort();
  return { plainPort, airlock: await Airlock.start({ AIRLOCK_RTMP_PORT: String(plainPort), AIRLOCK_RECORD: 'off' }) };
}

/** Lines of the cases that did not pass and do apply, and the exit code. */
export async function conformTo(
  { airlock, plainPort }: ConformServer,
  scheme: 'rtmp' | 'rtmps',
  ...options: string[]
): Promise<{ code: number; failed: string[]; passed: number; seconds: number }> {
  const port = scheme === 'rtmps' ? airlock.quickstart.rtmps_port : plainPort;
  const keys = [await airlock.createLive(), await airlock.createLive()].flatMap(({ key }) => ['--key', key]);
  const url = `${scheme}://localhost:${port}/live`;
  const { code, stdout, stderr } = await runCli([
    'conform',
    url,
    '--ca',
    airlock.authorityFile,
    ...keys,
    // For a machine that is busy.
    '--timeout',
    '15000',
    '--format',
    'json',
    ...options,
  ]);
  if (stdout === '') throw new Error(stderr);
  const { cases, seconds } = JSON.parse(stdout) as { cases: Record<string, string>[]; seconds: number };
  const failed = cases.filter(({ verdict, came }) => verdict !== 'pass' && !/^needs an rtmps:/.test(came ?? ''));
  const passed = cases.filter(({ verdict }) => verdict === 'pass').length;
  return {
    code,
    passed,
    seconds,
    failed: failed.map((each) => `${each.id} ${each.verdict}: expected ${each.expected}; ${each.came}`),
  };
}

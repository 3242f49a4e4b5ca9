/** States in which a server is started, and what each start must come to. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority } from '../../src/config/certificates/authority.js';
import { Airlock, MAIN } from './airlock.js';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  /** Lines of standard error that are not of the log. */
  readonly said: readonly string[];
  readonly tookMs: number;
}

export interface Start {
  readonly env?: NodeJS.ProcessEnv;
  /** Sent once standard output or error holds the text. */
  readonly signal?: { readonly name: NodeJS.Signals; readonly at: string };
}

export interface State {
  readonly start: Start;
  readonly code: number;
  /** Absent: nothing is said beside the log. */
  readonly says?: RegExp;
}

const READY = 'Airlock is ready';
const STARTING = '"msg":"starting"';
/** Ten times what a start that fails takes on a machine of its own, so that a busy one does not fail the test. */
export const LONGEST_MS = 30_000;

/** Runs the built server to its end. */
export async function startAndEnd(folder: string, { env = {}, signal }: Start): Promise<Ended> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      AIRLOCK_DATA_DIR: join(folder, 'data'),
      AIRLOCK_CERTS_DIR: join(folder, 'certs'),
      AIRLOCK_RTMPS_PORT: '0',
      AIRLOCK_HTTP_PORT: '0',
      ...env,
    },
  });
  const written = { stdout: '', stderr: '' };
  let sent = false;
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (bytes: Buffer) => {
      written[name] += bytes.toString();
      if (sent || signal === undefined || !written[name].includes(signal.at)) return;
      sent = true;
      child.kill(signal.name);
    });
  }
  const [code] = await once(child, 'close');
  const said = written.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  return { code: code as number | null, stdout: written.stdout, said, tookMs: performance.now() - startedMs };
}

export function expectEnd(ended: Ended, { code, says }: State): void {
  expect({ code: ended.code, said: ended.said.join('\n') }).toEqual({
    code,
    said: says === undefined ? '' : expect.stringMatching(says),
  });
  if (code === 3) expect(ended.said).toHaveLength(1);
  expect(ended.tookMs).toBeLessThan(LONGEST_MS);
}

/** A port in use, a folder in use, files and tools for the states. */
export class StartStopHarness {
  readonly folder = mkdtempSync(join(tmpdir(), 'airlock-start-'));
  readonly #taken = createServer();
  #other!: Airlock;
  #port = 0;

  static async open(): Promise<StartStopHarness> {
    const harness = new StartStopHarness();
    await once(harness.#taken.listen(0, '127.0.0.1'), 'listening');
    harness.#port = (harness.#taken.address() as AddressInfo).port;
    harness.#other = await Airlock.start({ AIRLOCK_LOG_LEVEL: 'warn' });
    writeFileSync(harness.#path('garbage.pem'), 'garbage');
    const [one, other] = [
      await makeAuthority(['localhost'], Date.now()),
      await makeAuthority(['localhost'], Date.now()),
    ];
    writeFileSync(harness.#path('one.crt'), one.certificate);
    writeFileSync(harness.#path('other.key'), other.privateKey);
    writeFileSync(harness.#path('ffprobe'), '#!/bin/sh\nexec sleep 600\n');
    chmodSync(harness.#path('ffprobe'), 0o755);
    mkdirSync(harness.#path('occupied/admin.sock/x'), { recursive: true });
    return harness;
  }

  async close(): Promise<void> {
    this.#taken.close();
    await this.#other.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  state(name: StateName): State {
    return this.#states()[name];
  }

  #states(): Readonly<Record<StateName, State>> {
    const port = String(this.#port);
    const refused = (env: NodeJS.ProcessEnv, says: RegExp): State => ({ start: { env }, code: 3, says });
    const inUse = (setting: string) =>
      refused({ [setting]: port }, new RegExp(`port ${port} is in use .*set ${setting} to another`));
    const pair = (cert: string, key: string, says: RegExp) =>
      refused({ AIRLOCK_TLS_CERT: this.#path(cert), AIRLOCK_TLS_KEY: this.#path(key) }, says);
    const hanging = { FFPROBE_PATH: this.#path('ffprobe') };
    const during = (name: NodeJS.Signals): State => ({
      start: { env: hanging, signal: { name, at: STARTING } },
      code: 0,
    });
    const running = (name: NodeJS.Signals): State => ({ start: { signal: { name, at: READY } }, code: 0 });
    return {
      'the RTMPS port is in use': inUse('AIRLOCK_RTMPS_PORT'),
      'the RTMP port is in use': inUse('AIRLOCK_RTMP_PORT'),
      'the HTTP port is in use': inUse('AIRLOCK_HTTP_PORT'),
      'the data folder is in use': refused(
        { AIRLOCK_DATA_DIR: join(this.#other.folder, 'data') },
        /is in use by process \d+ .*AIRLOCK_DATA_DIR/,
      ),
      'the certificate is absent': pair('absent.crt', 'other.key', /absent\.crt cannot be read.*AIRLOCK_TLS_CERT/),
      'the certificate is garbage': pair('garbage.pem', 'other.key', /garbage\.pem contains no PEM certificate/),
      'the key is of another certificate': pair('one.crt', 'other.key', /other\.key is not the key/),
      'Redis cannot be reached': refused({ REDIS_URL: 'redis://127.0.0.1:1' }, /Redis at .* cannot be used.*REDIS_URL/),
      'the administration socket cannot be opened': refused(
        { AIRLOCK_DATA_DIR: this.#path('occupied') },
        /administration socket .* cannot be opened/,
      ),
      'an invalid setting': { start: { env: { AIRLOCK_WORKERS: 'two' } }, code: 2, says: /AIRLOCK_WORKERS/ },
      'SIGTERM comes during the start': during('SIGTERM'),
      'SIGINT comes during the start': during('SIGINT'),
      'SIGTERM comes to a running server': running('SIGTERM'),
      'SIGINT comes to a running server': running('SIGINT'),
    };
  }

  #path(name: string): string {
    return join(this.folder, name);
  }
}

export const STATES = [
  'the RTMPS port is in use',
  'the RTMP port is in use',
  'the HTTP port is in use',
  'the data folder is in use',
  'the certificate is absent',
  'the certificate is garbage',
  'the key is of another certificate',
  'Redis cannot be reached',
  'the administration socket cannot be opened',
  'an invalid setting',
  'SIGTERM comes during the start',
  'SIGINT comes during the start',
  'SIGTERM comes to a running server',
  'SIGINT comes to a running server',
] as const;

/** One of each kind; `test/long` starts in all. Most files of `test/e2e` stop a running server. */
export const SAMPLE_OF_STATES = STATES.filter(
  (name) => !/^the RTMP port|^the HTTP port|^the certificate is absent|^the key is of|^SIGINT|running/.test(name),
);

export type StateName = (typeof STATES)[number];

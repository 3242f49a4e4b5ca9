/** The built server as a child process, in a folder of its own, on free ports. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { copyCertificates, keepCertificates } from './kept-certificates.js';
import { sayWhenLong, shown } from './long-wait.js';
import { descendantsOf, titleOf } from './process-tree.js';

const ROOT = join(import.meta.dirname, '..', '..');
/** Another build than the tree's own may be put to the test. */
export const MAIN = process.env.AIRLOCK_TEST_MAIN ?? join(ROOT, 'dist', 'main.js');

export interface Quickstart {
  page_id: string;
  group_id: string;
  user_id: string;
  access_token: string;
  live_video_id: string;
  stream_url_base: string;
  stream_key: string;
  secure_stream_url: string;
  http_url: string;
  dashboard_url: string;
  sign_in_url: string;
  dock_url: string;
  rtmps_port: number;
  http_port: number;
}

export interface ErrorRow {
  id: string;
  sequence: number;
  error_code: number;
  error_type: string;
  description: string;
  timestamp: string;
  cleared_time?: string;
  count: number;
  severity: string;
  observed?: unknown;
  worst?: unknown;
  limit?: unknown;
  [field: string]: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the interface are looked at, not typed
type Json = any;

/** Between questions of a long wait: each costs some milliseconds of several processes. */
const LONGEST_PAUSE_MS = 200;

export class Airlock {
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #keepFolder: boolean;
  readonly #launcher: readonly string[];
  /** The build that `restart` starts. */
  main: string;
  #child: ChildProcessByStdio<null, Readable, Readable> | undefined;
  #stdout = '';
  log = '';
  quickstart!: Quickstart;

  private constructor(
    folder: string,
    env: NodeJS.ProcessEnv,
    keepFolder: boolean,
    launcher: readonly string[],
    main: string,
  ) {
    this.folder = folder;
    this.main = main;
    this.#env = env;
    this.#keepFolder = keepFolder;
    this.#launcher = launcher;
  }

  /** `launcher`: a command that executes the server in its place, in a network of its own for example. */
  static async start(
    env: NodeJS.ProcessEnv = {},
    folder?: string,
    launcher: readonly string[] = [],
    main = MAIN,
  ): Promise<Airlock> {
    const own = folder ?? mkdtempSync(join(tmpdir(), 'airlock-test-'));
    const airlock = new Airlock(own, env, folder !== undefined, launcher, main);
    await airlock.restart();
    return airlock;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Every process of the server: the first one, then its roles and what they run. */
  get pids(): readonly number[] {
    return this.pid === 0 ? [] : [this.pid, ...descendantsOf(this.pid)];
  }

  /** The processes of one role, by their titles. */
  pidsOf(role: 'store' | 'ingest' | 'web' | 'media' | 'forward'): readonly number[] {
    return descendantsOf(this.pid).filter((pid) => titleOf(pid) === `airlock-${role}`);
  }

  /** The only process of a role. */
  pidOf(role: 'store' | 'ingest' | 'web' | 'media' | 'forward'): number {
    const [pid, ...others] = this.pidsOf(role);
    if (pid === undefined || others.length > 0) throw new Error(`no single process has the role ${role}`);
    return pid;
  }

  get authorityFile(): string {
    return join(this.folder, 'certs', 'ca.crt');
  }

  /** Starts the program (again) on the same folder; resolves when it says that it is ready. */
  async restart(): Promise<void> {
    const certs = join(this.folder, 'certs');
    if (this.#hasUsualNames) copyCertificates(certs);
    const [program, ...parameters] = [...this.#launcher, process.execPath, this.main, 'serve'] as const;
    const child = spawn(program ?? '', parameters, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        // Each process that has it reads the authorities of the machine, which takes twice as long as the start of Node.
        NODE_EXTRA_CA_CERTS: '',
        AIRLOCK_DATA_DIR: join(this.folder, 'data'),
        AIRLOCK_CERTS_DIR: certs,
        AIRLOCK_RTMPS_PORT: '0',
        AIRLOCK_HTTP_PORT: '0',
        ...this.#env,
      },
    });
    this.#child = child;
    this.#stdout = '';
    child.stderr.on('data', (bytes: Buffer) => {
      this.log += bytes.toString();
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (bytes: Buffer) => {
        this.#stdout += bytes.toString();
        if (this.#stdout.includes('Airlock is ready')) resolve();
      });
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${this.#stdout}\n${this.log}`)));
    });
    this.quickstart = this.readQuickstart();
    if (this.#hasUsualNames) keepCertificates(certs);
  }

  /** Its certificate serves every other server, too. */
  get #hasUsualNames(): boolean {
    return !Object.keys(this.#env).some((name) => /^AIRLOCK_(PUBLIC_|CERTS_|TLS_)|^NODE_OPTIONS$/.test(name));
  }

  readQuickstart(): Quickstart {
    return JSON.parse(readFileSync(join(this.folder, 'data', 'quickstart.json'), 'utf8'));
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const exited = once(child, 'exit');
    if (signal === 'SIGKILL') return this.#killAll(exited);
    child.kill(signal);
    const [code] = await exited;
    return code as number | null;
  }

  /** As a machine that loses power: no process of the server does anything more. */
  async #killAll(exited: Promise<unknown>): Promise<null> {
    const all = this.pids;
    // None is left to notice the end of another.
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const pid of all) signalIfThere(pid, signal);
    await exited;
    await this.until(
      async () => all.filter(isThere),
      (left) => left.length === 0,
    );
    return null;
  }

  async stop(): Promise<void> {
    await this.kill('SIGTERM');
    if (!this.#keepFolder) rmSync(this.folder, { recursive: true, force: true });
  }

  async request(
    method: string,
    path: string,
    params: Record<string, string> = {},
    token = this.quickstart.access_token,
  ): Promise<{ status: number; body: Json }> {
    const url = new URL(path, this.quickstart.http_url);
    const init: RequestInit = { method, headers: token ? { authorization: `Bearer ${token}` } : {} };
    if (method === 'POST') init.body = new URLSearchParams(params);
    else for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    const answer = await fetch(url, init);
    return { status: answer.status, body: await answer.json() };
  }

  async get(path: string, params: Record<string, string> = {}): Promise<Json> {
    return (await this.request('GET', path, params)).body;
  }

  async post(path: string, params: Record<string, string> = {}): Promise<Json> {
    return (await this.request('POST', path, params)).body;
  }

  /** Without causes (6901 and up): a loaded machine disturbs the delivery of a test's stream, and says so. */
  async errors(id: string, params: Record<string, string> = {}): Promise<ErrorRow[]> {
    return (await this.#records(id, params)).filter(({ error_code }) => !isCause(error_code));
  }

  /** The same without 6406: on a loaded machine a test's encoder is late, and the record is true. */
  async errorsButPace(id: string): Promise<ErrorRow[]> {
    return (await this.errors(id)).filter(({ error_code }) => error_code !== 6406);
  }

  async causes(id: string): Promise<ErrorRow[]> {
    return (await this.#records(id)).filter(({ error_code }) => isCause(error_code));
  }

  async #records(id: string, params: Record<string, string> = {}): Promise<ErrorRow[]> {
    const body = await this.get(`/${id}/errors`, { limit: '100', ...params });
    if (body.data === undefined) throw new Error(JSON.stringify(body));
    return body.data;
  }

  /** The history of the broadcast, sampled every two seconds, has frame rates enough to draw a line. */
  async untilFrameRatesKept(id: string): Promise<void> {
    await this.until(
      () => this.get(`/dashboard/data/history/${id}`),
      ({ columns, points }) =>
        points.filter((point: Json) => point[columns.indexOf('frame_rate')] !== null).length >= 2,
    );
  }

  /** Asks again until the answer will do; the test's own time limit is the limit. */
  async until<T>(ask: () => Promise<T>, willDo: (answer: T) => boolean): Promise<T> {
    let last: unknown = 'no answer yet';
    let pauseMs = 25;
    const waiting = sayWhenLong(() => `${willDo}: ${shown(last)}`);
    try {
      for (;;) {
        const answer = await ask();
        if (willDo(answer)) return answer;
        last = answer;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        pauseMs = Math.min(1.3 * pauseMs, LONGEST_PAUSE_MS);
      }
    } finally {
      waiting.over();
    }
  }

  /** A live video of the quickstart Page that goes LIVE when a stream comes. */
  async createLive(params: Record<string, string> = {}): Promise<{ id: string; url: string; key: string }> {
    const made = await this.post(`/${this.quickstart.page_id}/live_videos`, {
      status: 'LIVE_NOW',
      title: 'test',
      ...params,
    });
    const url: string = made.secure_stream_url;
    if (url === undefined) throw new Error(JSON.stringify(made));
    return { id: made.id, url, key: url.slice(url.lastIndexOf('/') + 1) };
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

const isThere = (pid: number): boolean => signalIfThere(pid, 0);

/** Starts servers for the tests of a file; those of a test are stopped after it. */
export function serversOfEachTest(): (...options: Parameters<typeof Airlock.start>) => Promise<Airlock> {
  const servers: Airlock[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((airlock) => airlock.stop()));
  }, 30_000);
  return async (...options) => {
    const airlock = await Airlock.start(...options);
    servers.push(airlock);
    return airlock;
  };
}

export const isCause = (code: number): boolean => code > 6900 && code < 7000;

/** A real redis-server of the test's own: its own free port and folder, gone with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';

export interface RedisServerOptions {
  /** More of the command line: `['--cluster-enabled', 'yes']`. */
  readonly arguments?: readonly string[];
  /** Ends with each write on the disk, so that a kill loses nothing that was answered. */
  readonly durable?: boolean;
  /** Runs as a Sentinel over the master on this port. */
  readonly sentinelOf?: number;
  /** The address that it listens on. */
  readonly host?: string;
}

export class RedisServer {
  readonly port: number;
  readonly host: string;
  readonly folder: string;
  readonly #arguments: readonly string[];
  #child: ChildProcess | undefined;
  #output = '';

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    // Another process may take a free port before redis-server binds it: then try the next.
    for (let tries = 1; ; tries += 1) {
      const server = new RedisServer(await freePort(), options);
      try {
        await server.restart();
        return server;
      } catch (error) {
        server.#remove();
        if (tries === 3) throw error;
      }
    }
  }

  private constructor(port: number, options: RedisServerOptions) {
    this.port = port;
    this.host = options.host ?? '127.0.0.1';
    this.folder = mkdtempSync(join(tmpdir(), 'airlock-redis-'));
    mkdirSync(join(this.folder, 'data'));
    const { sentinelOf } = options;
    if (sentinelOf !== undefined) {
      this.#arguments = [this.#sentinelConfig(sentinelOf), '--sentinel'];
      return;
    }
    this.#arguments = [
      ...['--port', String(port), '--bind', this.host, '--protected-mode', 'no', '--dir', join(this.folder, 'data')],
      ...['--save', '', '--appendonly', options.durable ? 'yes' : 'no', '--appendfsync', 'always'],
      ...(options.arguments ?? []),
    ];
  }

  get url(): string {
    return `redis://${this.host}:${this.port}`;
  }

  get running(): boolean {
    return this.#child !== undefined;
  }

  /** Starts the server on its port and folder; resolves when it answers. */
  async restart(): Promise<void> {
    const child = spawn('redis-server', [...this.#arguments], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#output = '';
    const keep = (chunk: Buffer) => {
      this.#output = `${this.#output}${chunk.toString()}`.slice(-4_000);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    await new Promise<void>((resolve, reject) => {
      child.once('error', (cause) =>
        reject(new Error('redis-server is needed: apt-get install redis-server', { cause })),
      );
      child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}:\n${this.#output}`)));
      child.stdout.on('data', () => {
        if (/Ready to accept connections|Sentinel ID is/.test(this.#output)) resolve();
      });
    });
    child.removeAllListeners('exit');
    this.#child = child;
  }

  /** As a crash would: SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await gone;
  }

  /** The server stands still but its connections stay open. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** A plain connection for a test's own questions; close it with `disconnect`. */
  client(): Redis {
    return new Redis(this.port, this.host);
  }

  async stop(): Promise<void> {
    await this.kill();
    this.#remove();
  }

  /** One Sentinel decides alone; a second without an answer is enough. */
  #sentinelConfig(masterPort: number): string {
    const path = join(this.folder, 'sentinel.conf');
    const lines = [
      `port ${this.port}`,
      `bind ${this.host}`,
      'protected-mode no',
      `dir ${join(this.folder, 'data')}`,
      `sentinel monitor main ${this.host} ${masterPort} 1`,
      'sentinel down-after-milliseconds main 1000',
      'sentinel failover-timeout main 3000',
    ];
    writeFileSync(path, `${lines.join('\n')}\n`);
    return path;
  }

  #remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A port with room for the cluster bus, which wants port + 10,000. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    if (typeof address === 'object' && address !== null && address.port < 55_000) return address.port;
  }
}

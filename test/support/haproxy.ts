/** A real HAProxy in front of servers: RTMPS in TCP mode with PROXY protocol v2, health checks on the probe port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './redis-server.js';

export interface Backend {
  readonly host: string;
  readonly rtmpsPort: number;
  readonly probePort: number;
}

export class HaProxy {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  static async start(backends: readonly Backend[]): Promise<HaProxy> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'airlock-haproxy-'));
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, config(port, backends));
    const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
    const failed = once(child, 'error').then(([cause]) => {
      throw new Error('haproxy is needed: apt-get install haproxy', { cause });
    });
    await Promise.race([listening(port, child), failed]);
    return new HaProxy(port, child, folder);
  }

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.port = port;
    this.#child = child;
    this.#folder = folder;
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}`);
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await sleep(20);
    } finally {
      socket.destroy();
    }
  }
}

/** Like docs/operations/two-machines.md, which explains each line. */
const config = (port: number, backends: readonly Backend[]): string => {
  const servers = backends
    .map(
      ({ host, rtmpsPort, probePort }, at) =>
        `  server machine${at + 1} ${host}:${rtmpsPort} port ${probePort} tcp-ut 3s`,
    )
    .join('\n');
  return `
global
  maxconn 4000
defaults
  mode tcp
  timeout connect 1s
  timeout check 2s
  timeout client 60s
  timeout server 60s
  retries 3
  option redispatch 1
  balance leastconn
  default-server check inter 1s rise 1 fall 2 send-proxy-v2 no-check-send-proxy
frontend rtmps
  bind 127.0.0.1:${port}
  use_backend without_store if { nbsrv(rtmps) eq 0 }
  default_backend rtmps
backend rtmps
  option httpchk GET /readyz
${servers}
backend without_store
  option httpchk GET /readyz?role=ingest
${servers}
`;
};

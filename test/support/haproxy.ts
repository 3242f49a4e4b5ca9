/** A real HAProxy in front of servers, with the configuration of docs/operations/two-machines.md. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './redis-server.js';

export interface Backend {
  readonly host: string;
  readonly rtmpsPort: number;
  readonly httpPort: number;
  readonly probePort: number;
}

const GUIDE = join(import.meta.dirname, '../../docs/operations/two-machines.md');

export class HaProxy {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  static async start(backends: readonly Backend[]): Promise<HaProxy> {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'airlock-haproxy-'));
    const file = join(folder, 'haproxy.cfg');
    writeFileSync(file, config(port, backends, folder));
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

/** As it stands in the guide. */
export function shippedConfig(): string {
  const [, text] = /^cat > \S*haproxy\.cfg <<'END'\n([\s\S]*?)^END$/m.exec(readFileSync(GUIDE, 'utf8')) ?? [];
  if (text === undefined) throw new Error(`${GUIDE} has no configuration of HAProxy`);
  return text;
}

/** For these servers and ports. The port of HTTPS, which needs a certificate, is a socket of plain HTTP here. */
function config(port: number, backends: readonly Backend[], folder: string): string {
  const servers = (line: string, target: 'rtmpsPort' | 'httpPort') =>
    backends
      .map(({ host, probePort, ...ports }, at) =>
        line.replace(/first \S+/, `machine${at + 1} ${host}:${ports[target]} port ${probePort}`),
      )
      .join('\n');
  return shippedConfig()
    .replace(/bind :1936$/m, `bind 127.0.0.1:${port}`)
    .replace(/bind :443 .*$/m, `bind unix@${folder}/http.sock`)
    .replace(/^ +server second .*\n/gm, '')
    .replace(/^ +server first \S+:1936.*$/gm, (line) => servers(line, 'rtmpsPort'))
    .replace(/^ +server first \S+:8080.*$/gm, (line) => servers(line, 'httpPort'));
}

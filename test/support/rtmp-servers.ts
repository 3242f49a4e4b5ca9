/** RTMP servers of others, over plain TCP and TLS, that write each stream that is published to an FLV file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './redis-server.js';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface RtmpServer {
  /** Undefined: it takes TLS only. */
  readonly plainUrl?: string;
  readonly secureUrl: string;
  /** The file of a stream; undefined: none was published. */
  recordingOf(key: string): string | undefined;
  stop(): Promise<void>;
}

const MODULES = '/usr/lib/nginx/modules';

/** nginx with its RTMP module, and its stream module in front of it for TLS. */
export async function startNginx(folder: string, { cert, key }: Certificate): Promise<RtmpServer> {
  const [plain, secure] = [await freePort(), await freePort()];
  const recordings = join(folder, 'nginx');
  mkdirSync(recordings, { recursive: true });
  const file = join(folder, 'nginx.conf');
  const text = `load_module ${MODULES}/ngx_stream_module.so;
load_module ${MODULES}/ngx_rtmp_module.so;
daemon off;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${folder}/nginx.pid;
events { worker_connections 64; }
stream {
  server {
    listen 127.0.0.1:${secure} ssl;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};
    proxy_pass 127.0.0.1:${plain};
  }
}
rtmp {
  server {
    listen 127.0.0.1:${plain};
    application live { live on; wait_key on; record all; record_path ${recordings}; }
  }
}`;
  writeFileSync(file, text);
  const child = spawn('nginx', ['-p', folder, '-e', join(folder, 'nginx.log'), '-c', file], { stdio: 'ignore' });
  for (const port of [plain, secure]) await listening(port, child);
  return {
    plainUrl: `rtmp://127.0.0.1:${plain}/live`,
    secureUrl: `rtmps://127.0.0.1:${secure}/live`,
    recordingOf: (name) => existing(join(recordings, `${name}.flv`)),
    // Its worker goes with it.
    stop: () => ended(child, 'SIGTERM'),
  };
}

const MEDIA_SERVER = `
const [folder, cert, key, ...ports] = process.argv.slice(1);
const [rtmp, rtmps, http] = ports.map(Number);
const { default: NodeMediaServer } = await import('node-media-server');
new NodeMediaServer({
  bind: '127.0.0.1',
  rtmp: { port: rtmp },
  rtmps: { port: rtmps, key, cert },
  http: { port: http },
  record: { path: folder + '/records' },
  store: { path: folder + '/store' },
}).run();
`;

/** node-media-server, with TLS of its own. */
export async function startMediaServer(folder: string, { cert, key }: Certificate): Promise<RtmpServer> {
  const home = join(folder, 'media-server');
  mkdirSync(home, { recursive: true });
  const ports = [await freePort(), await freePort(), await freePort()];
  const args = ['--input-type=module', '-e', MEDIA_SERVER, home, cert, key, ...ports.map(String)];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  for (const port of ports) await listening(port, child);
  return {
    secureUrl: `rtmps://127.0.0.1:${ports[1]}/live`,
    recordingOf: (name) => {
      const at = join(home, 'records', 'live', name);
      const [first] = existsSync(at) ? readdirSync(at) : [];
      return first === undefined ? undefined : join(at, first);
    },
    stop: () => ended(child, 'SIGKILL'),
  };
}

const existing = (path: string): string | undefined => (existsSync(path) ? path : undefined);

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`an RTMP server ended with ${child.exitCode}`);
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

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

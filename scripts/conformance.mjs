// Holds Airlock, nginx-rtmp and node-media-server against the conformance cases, one case at a time: a peer that a case ends is
// started again, and the case is named. Writes docs/conformance.json, of which docs/conformance.md is made. Names of peers may follow.
// On Debian it needs nginx, libnginx-mod-rtmp and libnginx-mod-stream, and a build in dist.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

register('../test/support/typescript-loader.mjs', import.meta.url);
const { CASES } = await import('../src/conform/cases/index.ts');
const { CONFORM_LIMITS } = await import('../src/conform/limits.ts');
const { runCases } = await import('../src/conform/runner.ts');
const { pause, SocketPeer } = await import('../src/conform/socket-peer.ts');
const { makeAuthority, makeServerCertificate } = await import('../src/config/certificates/authority.ts');
const { Airlock } = await import('../test/support/airlock.ts');

const RESULTS = new URL('../docs/conformance.json', import.meta.url);
const require = createRequire(import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'airlock-conformance-'));
const authority = await makeAuthority(['localhost'], Date.now());
const { certificate, privateKey } = await makeServerCertificate(authority, ['localhost'], Date.now());
for (const [name, text] of [
  ['server.crt', certificate],
  ['server.key', privateKey],
])
  writeFileSync(join(folder, name), text);

/** From the end of a case to the news that a process ended from it. */
const EXIT_MS = 50;
const KEYS = ['conform-1', 'conform-2'];
const NGINX = `load_module modules/ngx_rtmp_module.so;
load_module modules/ngx_stream_module.so;
daemon off;
worker_processes 1;
events { worker_connections 1024; }
rtmp { server { listen 127.0.0.1:RTMP; application live { live on; } } }
stream { server { listen 127.0.0.1:RTMPS ssl; proxy_pass 127.0.0.1:RTMP; ssl_certificate server.crt; ssl_certificate_key server.key; } }
`;
const NODE_MEDIA_SERVER = `const NodeMediaServer = require('node-media-server');
const tls = { port: RTMPS, key: 'server.key', cert: 'server.crt' };
new NodeMediaServer({ bind: '127.0.0.1', rtmp: { port: RTMP }, rtmps: tls }).run();
`;

const debianVersion = (name) => execFileSync('dpkg-query', ['-W', name], { encoding: 'utf8' }).trim().split('\t')[1];

const PEERS = {
  'nginx-rtmp': {
    version: () => `nginx ${debianVersion('nginx')}, libnginx-mod-rtmp ${debianVersion('libnginx-mod-rtmp')}`,
    config: NGINX,
    file: 'nginx.conf',
    command: () => ['nginx', ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log', '-g', 'pid nginx.pid;']],
    /** The master replaces a worker that ends, so that only its log shows it. */
    ended: () => (readFileSync(join(folder, 'error.log'), 'utf8').match(/exited on signal/g) ?? []).length,
    prepare: (text) => text.replaceAll('load_module modules/', 'load_module /usr/lib/nginx/modules/'),
  },
  'node-media-server': {
    version: () => `node-media-server ${require('node-media-server/package.json').version}, Node ${process.version}`,
    config: NODE_MEDIA_SERVER,
    file: 'server.cjs',
    command: () => [process.execPath, ['server.cjs']],
    ended: () => 0,
    prepare: (text) => text.replace("'node-media-server'", JSON.stringify(require.resolve('node-media-server'))),
  },
};

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function accepts(port) {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await pause(50);
  }
}

class Peer {
  #child;
  constructor(name) {
    this.name = name;
    this.definition = PEERS[name];
  }

  async start() {
    const ports = { rtmp: await freePort(), rtmps: await freePort() };
    const { prepare, config, file, command } = this.definition;
    const text = prepare(config).replaceAll('RTMPS', String(ports.rtmps)).replaceAll('RTMP', String(ports.rtmp));
    writeFileSync(join(folder, file), text);
    const [program, args] = command();
    this.#child = spawn(program, args, { cwd: folder, stdio: 'ignore' });
    await Promise.all([accepts(ports.rtmp), accepts(ports.rtmps)]);
    return ports;
  }

  /** Processes that ended so far. */
  async ends() {
    return this.definition.ended() + (this.#child.exitCode !== null || this.#child.signalCode !== null ? 1 : 0);
  }

  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }
}

class OwnServer {
  name = 'airlock';
  #airlock;

  async start() {
    const rtmp = await freePort();
    this.#airlock = await Airlock.start({ AIRLOCK_RTMP_PORT: String(rtmp), AIRLOCK_RECORD: 'off' });
    this.keys = [(await this.#airlock.createLive()).key, (await this.#airlock.createLive()).key];
    this.authority = readFileSync(this.#airlock.authorityFile, 'utf8');
    return { rtmp, rtmps: this.#airlock.quickstart.rtmps_port };
  }

  async ends() {
    return (this.#airlock.log.match(/a role process ended; another/g) ?? []).length;
  }

  stop() {
    return this.#airlock.stop();
  }
}

async function held(peer, scheme) {
  let ports = await peer.start();
  const results = new Map();
  const keep = ({ id, ...result }) => {
    if (result.verdict === 'pass') return;
    results.set(id, result);
    console.log(`${peer.name} ${scheme} ${id}: ${result.verdict}: ${result.came}`);
  };
  const options = () => ({
    peer: new SocketPeer({
      host: 'localhost',
      port: ports[scheme],
      isSecure: scheme === 'rtmps',
      app: 'live',
      tcUrl: `${scheme}://localhost:${ports[scheme]}/live`,
      insecure: false,
      authorities: [peer.authority ?? authority.certificate],
    }),
    keys: peer.keys ?? KEYS,
    timeoutMs: CONFORM_LIMITS.timeoutMs,
    pause,
    inTurn: true,
  });
  const fresh = async () => {
    await peer.stop();
    ports = await peer.start();
  };
  const one = async (cases) => {
    const before = await peer.ends();
    const { results: taken, died } = await runCases(cases, options());
    await pause(EXIT_MS);
    const isEnded = died !== undefined || (await peer.ends()) > before;
    return taken.map(({ case: { id }, verdict, expected, came }) => {
      if (isEnded) return { id, verdict: 'fail', ended: true, expected: 'the process goes on', came: 'it ended' };
      return verdict === 'pass' ? { id, verdict } : { id, verdict, expected, came };
    });
  };
  for (const result of await one(CASES.filter(({ waitsMs }) => waitsMs !== undefined))) keep(result);
  for (const each of CASES.filter(({ waitsMs }) => waitsMs === undefined)) {
    let [result] = await one([each]);
    if (result.verdict === 'fail' || result.verdict === 'unknown') {
      // An earlier case may be the reason: it counts what a peer does that has met no other.
      await fresh();
      [result] = await one([each]);
      await fresh();
    }
    keep(result);
  }
  await peer.stop();
  return Object.fromEntries([...results].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const names = process.argv.slice(2);
const written = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {};
for (const name of names.length > 0 ? names : ['airlock', ...Object.keys(PEERS)]) {
  const peer = name === 'airlock' ? new OwnServer() : new Peer(name);
  const { version, config } = peer.definition ?? {};
  const told = peer.definition === undefined ? {} : { version: version(), config };
  written[name] = { ...told, rtmp: await held(peer, 'rtmp'), rtmps: await held(peer, 'rtmps') };
  writeFileSync(RESULTS, `${JSON.stringify(written, null, 2)}\n`);
}
rmSync(folder, { recursive: true });

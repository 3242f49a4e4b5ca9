// Servers of other people that are tried where they are installed: nginx with its RTMP module, SRS, and a program on Go's gortmplib.
// nginx-rtmp speaks no RTMPS and SRS is found most often behind a proxy, so nginx ends TLS for both, and its CPU counts as theirs.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { family } from './measure.mjs';
import { freePort, ours, stop, untilListening, whereIs } from './processes.mjs';

const CONNECTIONS = 8192;
const SILENT = ['ignore', 'ignore', 'inherit'];

/** What `nginx -V` was built with, and where its modules are. */
function nginxBuild() {
  const said = execFileSync('sh', ['-c', 'nginx -V 2>&1'], { encoding: 'utf8' });
  return { said, modules: /--modules-path=(\S+)/.exec(said)?.[1] ?? '' };
}

/** The line that loads a module, '' when it is built in, or undefined when there is none. */
function moduleLine(file, builtIn) {
  const { said, modules } = nginxBuild();
  const path = join(modules, file);
  if (modules !== '' && existsSync(path)) return `load_module ${path};`;
  return builtIn.test(said) ? '' : undefined;
}

export const streamModule = () => moduleLine('ngx_stream_module.so', /--with-stream(\s|$)/);
export const rtmpModule = () => moduleLine('ngx_rtmp_module.so', /nginx-rtmp-module/);

export const tlsInFront = ({ cert, key }, port, rtmpPort) => `stream {
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${cert};
    ssl_certificate_key ${key};
    ssl_protocols TLSv1.2;
    tcp_nodelay on;
    proxy_pass 127.0.0.1:${rtmpPort};
  }
}`;

/** `applications`: the lines of each by its name. */
export const rtmpBlock = (rtmpPort, applications = { live: '' }) => `rtmp {
  server {
    listen 127.0.0.1:${rtmpPort};
    chunk_size 4096;
    max_message 8M;
${Object.entries(applications)
  .map(([name, lines]) => `    application ${name} { live on; record off; ${lines} }`)
  .join('\n')}
  }
}`;

export function startNginx(scratch, lines) {
  const file = join(scratch, `nginx-${Date.now()}.conf`);
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const head = [
    ...['daemon off;', 'worker_processes 1;', `worker_rlimit_nofile ${2 * CONNECTIONS};`, user],
    ...[`pid ${file}.pid;`, `error_log ${file}.log error;`],
  ];
  const events = `events { worker_connections ${CONNECTIONS}; }`;
  writeFileSync(file, [...lines.modules, ...head, events, ...lines.blocks].join('\n'));
  return ours(spawn('nginx', ['-p', scratch, '-e', `${file}.log`, '-c', file], { stdio: SILENT }));
}

const keys = (count) => Array.from({ length: count }, (_, i) => `bench${i}`);

/** Started children as a server: all that they run carries streams. */
export const server = (port, load, children) => ({
  port,
  keys: keys(load.publishers),
  roots: children.map((child) => child.pid),
  carriers: () => children.flatMap((child) => family(child.pid)),
  // With SIGTERM nginx takes its workers along.
  stop: () => Promise.all(children.map((child) => stop(child, 'SIGTERM'))),
});

export const nginxRtmp = (certificate) => ({
  name: 'nginx-rtmp behind nginx TLS',
  missing() {
    if (whereIs('nginx') === undefined) return 'no nginx in the PATH';
    if (streamModule() === undefined) return 'this nginx has no stream module';
    return rtmpModule() === undefined ? 'this nginx has no RTMP module' : undefined;
  },
  async start(load, scratch) {
    const [port, rtmpPort] = [await freePort(), await freePort()];
    const child = startNginx(scratch, {
      modules: [streamModule(), rtmpModule()],
      blocks: [tlsInFront(certificate, port, rtmpPort), rtmpBlock(rtmpPort)],
    });
    await untilListening(port, child);
    return server(port, load, [child]);
  },
});

const srsProgram = () => process.env.SRS_PATH ?? whereIs('srs');

const srsConfiguration = (rtmpPort, scratch) => `listen 127.0.0.1:${rtmpPort};
max_connections ${CONNECTIONS};
daemon off;
pid ${join(scratch, 'srs.pid')};
srs_log_tank console;
srs_log_level error;
vhost __defaultVhost__ { tcp_nodelay on; }
`;

export const srs = (certificate) => ({
  name: 'SRS behind nginx TLS',
  missing() {
    if (srsProgram() === undefined) return 'no srs in the PATH, and SRS_PATH is not set';
    if (whereIs('nginx') === undefined) return 'no nginx in the PATH to end TLS in front of it';
    return streamModule() === undefined ? 'the nginx for its TLS has no stream module' : undefined;
  },
  async start(load, scratch) {
    const [port, rtmpPort] = [await freePort(), await freePort()];
    const file = join(scratch, 'srs.conf');
    writeFileSync(file, srsConfiguration(rtmpPort, scratch));
    const origin = ours(spawn(srsProgram(), ['-c', file], { stdio: SILENT }));
    await untilListening(rtmpPort, origin);
    const front = startNginx(scratch, { modules: [streamModule()], blocks: [tlsInFront(certificate, port, rtmpPort)] });
    await untilListening(port, front);
    return server(port, load, [front, origin]);
  },
});

const gortmplibProgram = () => process.env.GORTMPLIB_PATH;

/** A program that serves RTMPS through gortmplib and discards what it reads; its arguments are the address, the certificate and the key. */
export const gortmplib = ({ cert, key }) => ({
  name: 'gortmplib (Go)',
  missing: () => (gortmplibProgram() === undefined ? 'GORTMPLIB_PATH is not set' : undefined),
  async start(load) {
    const port = await freePort();
    const child = ours(spawn(gortmplibProgram(), [`127.0.0.1:${port}`, cert, key], { stdio: SILENT }));
    await untilListening(port, child);
    return server(port, load, [child]);
  },
});

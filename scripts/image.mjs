// Builds the image and runs it as the documents say: node scripts/image.mjs [FOLDER]. Needs root, Debian, podman, runc and
// mmdebstrap, and the registries of Debian and npm; no registry of images. FOLDER keeps images for the next run (2 GB).
//
// The base images are stand-ins: Debian by mmdebstrap, and Node and npm from npm's packages `node` and `npm`; those of Redis and
// HAProxy are Debian's packages. The containers are real: runc with its namespaces, seccomp, port mappings and volumes.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const ROOT = resolve(import.meta.dirname, '..');
const DEPLOY = join(ROOT, 'docs/operations/deploy');
const HOST = 'live.example.org';
const READY_MS = 60_000;
const BALANCED_MS = 30_000;
const POLL_MS = 250;
/** With the stand-in of Debian's image, which is 100 MB larger than the slim one: it has documentation and locales. */
const IMAGE_MB_MAX = 750;

const [given] = process.argv.slice(2);
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'airlock-image-')) : resolve(given);
let failed = 0;

const say = (level, what) => process.stdout.write(`${level.padEnd(9)}  ${what}\n`);
const notTried = (what) => say('not tried', what);

/** Says whether it holds. */
function check(what, holds, seen = '') {
  if (!holds) failed += 1;
  say(holds ? 'ok' : 'FAIL', holds || seen === '' ? what : `${what}: ${String(seen).trim().slice(-400)}`);
  return holds;
}

/** The result of a program, with what it printed. */
function tried(program, args, options = {}) {
  return spawnSync(program, args, { encoding: 'utf8', maxBuffer: 256e6, ...options, env: { ...env, ...options.env } });
}

/** What it printed on standard output. @throws Error when it fails */
function run(program, args, options) {
  const { status, stdout, stderr, error } = tried(program, args, options);
  if (status !== 0)
    throw new Error(`${program} ${args.slice(0, 3).join(' ')}: ${error?.message ?? stderr.slice(-2000)}`);
  return stdout.trim();
}

const has = (program) => spawnSync('which', [program]).status === 0;
const podman = (...args) => run('podman', args);

/** Images, containers and networks of this script alone; no systemd is needed, and limits stay within those of the caller. */
const [, openFiles = '1024'] = /Max open files +\d+ +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
const env = {
  ...process.env,
  CONTAINERS_CONF: join(folder, 'containers.conf'),
  CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
};

function prepare() {
  const lacking = ['podman', 'runc', 'mmdebstrap'].filter((program) => !has(program));
  if (process.getuid?.() !== 0) throw new Error('it makes containers: run it as root');
  if (lacking.length > 0)
    throw new Error(
      `${lacking.join(', ')} missing: apt-get install --no-install-recommends podman runc mmdebstrap netavark aardvark-dns podman-compose`,
    );
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    env.CONTAINERS_CONF,
    `[network]
network_backend = "netavark"
network_config_dir = "${folder}/networks"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=${openFiles}:${openFiles}", "nproc=4096:4096"]
log_driver = "k8s-file"
`,
  );
  writeFileSync(
    env.CONTAINERS_STORAGE_CONF,
    `[storage]
driver = "overlay"
graphroot = "${folder}/images"
runroot = "${folder}/containers"
`,
  );
}

const BUILD = ['build', '--isolation', 'chroot', '--pull=never', '--format', 'docker'];

/** Builds an image from lines of a Containerfile, in a folder with its files. */
function image(name, context, ...lines) {
  const file = join(folder, `${name.replace(/\W/g, '-')}.containerfile`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  run('podman', [...BUILD, '-q', '-t', `docker.io/library/${name}`, '-f', file, context]);
}

/** Stand-ins under the names that the documents use. An authority of this machine's network is trusted in the build stage. */
function makeBases() {
  const isThere = (name) => tried('podman', ['image', 'exists', `docker.io/library/${name}`]).status === 0;
  if (!isThere('debian:bookworm-slim')) {
    const tar = join(folder, 'debian.tar');
    run('mmdebstrap', ['--variant=minbase', 'bookworm', tar]);
    podman('import', tar, 'docker.io/library/debian:bookworm-slim');
    rmSync(tar);
  }
  if (!isThere('node:24-bookworm-slim')) {
    const packages = join(folder, 'node');
    mkdirSync(packages, { recursive: true });
    writeFileSync(join(packages, 'package.json'), '{}');
    run('npm', ['install', '--no-audit', '--no-fund', 'node@24', 'npm@11'], { cwd: packages });
    image(
      'node:24-bookworm-slim',
      join(packages, 'node_modules'),
      'FROM debian:bookworm-slim',
      'COPY node/bin/node /usr/local/bin/',
      'COPY npm /usr/local/lib/node_modules/npm',
      'RUN cd /usr/local/bin && ln -s ../lib/node_modules/npm/bin/npm-cli.js npm && ln -s ../lib/node_modules/npm/bin/npx-cli.js npx',
      ...(ownAuthorities === undefined ? [] : [`ENV NODE_EXTRA_CA_CERTS=${ownAuthorities}`]),
    );
    rmSync(packages, { recursive: true });
  }
  const install = (name) => `RUN apt-get update && apt-get install -y --no-install-recommends ${name}`;
  const from = 'FROM debian:bookworm-slim';
  const data = 'RUN mkdir -p /data && chown redis:redis /data';
  if (!isThere('redis:7'))
    image('redis:7', folder, from, install('redis-server'), data, 'WORKDIR /data', 'VOLUME /data');
  const config = '/usr/local/etc/haproxy/haproxy.cfg';
  const start = `ENTRYPOINT ["haproxy", "-W", "-db", "-f", "${config}"]`;
  if (!isThere('haproxy:2.8')) image('haproxy:2.8', folder, from, install('haproxy'), 'USER haproxy', start);
}

const ownAuthorities = process.env.NODE_EXTRA_CA_CERTS;

function buildImage() {
  const trust = ownAuthorities === undefined ? [] : ['-v', `${ownAuthorities}:${ownAuthorities}:ro`];
  run('podman', [...BUILD, ...trust, '--build-arg', 'VERSION=tried', '-t', 'airlock', ROOT]);
  const [made] = JSON.parse(podman('image', 'inspect', 'airlock'));
  const { Config: config } = made;
  check('the image is built from the Dockerfile', true);
  check('it runs as an ordinary user', config.User === 'node', config.User);
  check('it has a health check', made.Config.Healthcheck?.Test?.includes('scripts/healthcheck.mjs') ?? false);
  check('it has labels', config.Labels?.['org.opencontainers.image.version'] === 'tried');
  const megabytes = Math.round(made.Size / 1e6);
  check(`it takes ${megabytes} MB (at most ${IMAGE_MB_MAX})`, megabytes <= IMAGE_MB_MAX);
}

/** A port that is free now. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return String(port);
}

/** Resolves when the log of a container has the text. */
async function logged(name, text) {
  const log = spawn('podman', ['logs', '-f', name], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => log.kill(), READY_MS);
  let all = '';
  await Promise.race(
    [log.stdout, log.stderr].map(async (stream) => {
      for await (const line of createInterface(stream)) {
        all += `${line}\n`;
        if (line.includes(text)) return;
      }
      // The other stream may still have it.
      await once(log, 'close');
    }),
  );
  clearTimeout(timer);
  log.kill();
  return all;
}

/** The last status of the dashboard, once that is 200: a balancer in front looks for the server first. */
async function answerOf(port) {
  const endMs = Date.now() + BALANCED_MS;
  for (;;) {
    const status = await statusOf(port, '/dashboard/');
    if (status === 200 || Date.now() > endMs) return status;
    await delay(POLL_MS);
  }
}

/** The status of a GET over HTTPS; the certificate is not checked. */
function statusOf(port, path) {
  return new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, timeout: 10_000 }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    call.on('error', (error) => resolve(error.message));
    call.end();
  });
}

const airlockIn = (name, ...args) =>
  JSON.parse(run('podman', ['exec', name, 'node', 'dist/main.js', ...args, '--format', 'json']));

/** What every container of the image must do, however it was started. */
async function tryContainer(how, name, { rtmps, https, sandbox }) {
  const log = await logged(name, 'Airlock is ready');
  if (!check(`${how}: the server starts`, log.includes('Airlock is ready'), log)) return;
  check(`${how}: its root cannot be written to`, tried('podman', ['exec', name, 'touch', '/x']).status !== 0);
  check(`${how}: its health check passes`, tried('podman', ['healthcheck', 'run', name]).status === 0);
  const found = /"sandbox":"(\w+)"/.exec(podman('logs', name) + tried('podman', ['logs', name]).stderr)?.[1];
  check(`${how}: the sandbox of ffmpeg is ${sandbox}`, found === sandbox, found);
  const status = await answerOf(https);
  check(`${how}: HTTPS answers on its port`, status === 200, status);
  const { id: owner } = airlockIn(name, 'owner', 'add', 'page', 'Tried');
  const live = airlockIn(name, 'live', 'create', '--owner', owner);
  const url = live.secure_stream_url.replace(/^rtmps:\/\/[^/]+/, `rtmps://127.0.0.1:${rtmps}`);
  const source = [
    '-re',
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=1280x720:r=30',
    '-f',
    'lavfi',
    '-i',
    'sine=r=48000',
    '-t',
    '5',
  ];
  const coded = '-c:v libx264 -preset ultrafast -b:v 2500k -g 60 -pix_fmt yuv420p -c:a aac -ac 2 -f flv'.split(' ');
  const { status: sent, stderr } = tried('ffmpeg', ['-v', 'error', ...source, ...coded, url]);
  const shown = airlockIn(name, 'live', 'show', live.id);
  check(
    `${how}: ffmpeg publishes through its port`,
    sent === 0 && shown.status !== 'UNPUBLISHED',
    `${shown.status} ${stderr}`,
  );
}

/** SIGTERM, as every orchestrator sends it. */
function stop(how, name) {
  tried('podman', ['stop', '-t', '30', name]);
  const code = podman('inspect', name, '--format', '{{.State.ExitCode}}');
  check(`${how}: SIGTERM ends it with 0`, code === '0', code);
}

/** The `docker run` line of docs/operations/install.md, with ports that are free here. */
async function tryDockerRun() {
  const text = readFileSync(join(ROOT, 'docs/operations/install.md'), 'utf8').replaceAll('\\\n', ' ');
  const [line] = /^docker run .*$/m.exec(text) ?? [];
  if (!check('docs/operations/install.md has a `docker run` line', line !== undefined)) return;
  const [rtmps, https] = [await freePort(), await freePort()];
  const args = line
    .replace('-p 1936:1936', `-p 127.0.0.1:${rtmps}:1936`)
    .replace('-p 8080:8080', `-p 127.0.0.1:${https}:8080`)
    .replaceAll(/seccomp=\S*seccomp\.json/g, `seccomp=${join(DEPLOY, 'seccomp.json')}`)
    .split(/\s+/)
    .slice(2);
  const how = 'docker run';
  podman('run', '-d', '--pull=never', '--name', 'tried', ...args);
  await tryContainer(how, 'tried', { rtmps, https, sandbox: 'strong' });
  const { live_videos: before } = airlockIn('tried', 'live', 'list');
  stop(how, 'tried');
  podman('rm', 'tried');
  podman('run', '-d', '--pull=never', '--name', 'tried', ...args);
  await logged('tried', 'Airlock is ready');
  const { live_videos: after } = airlockIn('tried', 'live', 'list');
  check(
    `${how}: a new container on the same volumes has what was stored`,
    before.length > 0 && after.length === before.length,
  );
  podman('rm', '-f', '-t', '30', 'tried');
}

/** compose.yaml with a certificate of its own, by podman-compose; what that does not do is done here or said. */
async function tryCompose() {
  const how = 'compose';
  if (!has('podman-compose')) return notTried('compose.yaml: podman-compose is not installed');
  const home = join(folder, 'compose');
  rmSync(home, { recursive: true, force: true });
  cpSync(DEPLOY, home, { recursive: true });
  mkdirSync(join(home, 'tls'));
  const [key, certificate] = ['tls.crt.key', 'tls.crt'].map((name) => join(home, 'tls', name));
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject]);
  // HAProxy and the server run as other users than the one that made them.
  run('chmod', ['644', key]);
  const [rtmps, https] = [await freePort(), await freePort()];
  const text = readFileSync(join(home, 'compose.yaml'), 'utf8');
  const [, subnet] = /subnet: (\S+?) }/.exec(text) ?? [];
  writeFileSync(
    join(home, 'compose.yaml'),
    text.replace('"1936:1936"', `"127.0.0.1:${rtmps}:1936"`).replace('"8080:8080"', `"127.0.0.1:${https}:8080"`),
  );
  // The name server of podman is the first address of the network, that of Docker 127.0.0.11.
  const haproxy = join(home, 'haproxy.cfg');
  const nameServer = subnet.replace(/\d+\/\d+$/, '1');
  writeFileSync(haproxy, readFileSync(haproxy, 'utf8').replace('127.0.0.11:53', `${nameServer}:53`));
  podman('tag', 'airlock', 'localhost/compose_airlock');
  // podman-compose 1.0 leaves the subnet out.
  podman('network', 'create', '--subnet', subnet, 'compose_front');
  const secrets = {
    REDIS_PASSWORD: randomBytes(12).toString('hex'),
    AIRLOCK_KEY_SECRET: randomBytes(32).toString('hex'),
  };
  const { status, stderr } = tried('podman-compose', ['-p', 'compose', 'up', '-d', '--no-build'], {
    cwd: home,
    env: { ...secrets, AIRLOCK_PUBLIC_HOST: HOST },
  });
  if (check(`${how}: the three services are started`, status === 0, stderr)) {
    await tryContainer(how, 'compose_airlock_1', { rtmps, https, sandbox: 'strong' });
    check(
      `${how}: the health check of Redis passes`,
      tried('podman', ['healthcheck', 'run', 'compose_redis_1']).status === 0,
    );
    for (const name of ['haproxy', 'airlock', 'redis']) stop(`${how}, ${name}`, `compose_${name}_1`);
  }
  notTried(
    'compose.yaml: the order by `condition`, which podman-compose 1.0 leaves out, and the name server of Docker',
  );
}

function trySystemd() {
  if (!has('systemd-analyze')) return notTried('airlock.service: systemd-analyze is not installed');
  const { status, stderr, stdout } = tried('systemd-analyze', ['verify', join(DEPLOY, 'airlock.service')]);
  check('airlock.service: systemd-analyze verify', status === 0, stderr + stdout);
  notTried('airlock.service: a start, which needs systemd as the first process');
}

/** Names and types of all fields, against the models of Kubernetes' own client. */
async function tryKubernetes() {
  const client = join(folder, 'kubernetes');
  if (!existsSync(client)) {
    mkdirSync(client);
    writeFileSync(join(client, 'package.json'), '{}');
    run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '@kubernetes/client-node@2'], {
      cwd: client,
    });
  }
  // Not its index, whose HTTP client needs a newer Node.
  const models = await import(join(client, 'node_modules/@kubernetes/client-node/dist/gen/models/all.js'));
  const { loadAll } = await import(join(client, 'node_modules/js-yaml/dist/js-yaml.mjs'));
  const unknown = [];
  const compare = (value, type, path) => {
    const [, item] = /^Array<(.*)>$/.exec(type) ?? [];
    if (item !== undefined) {
      if (!Array.isArray(value)) unknown.push(`${path} is no list`);
      else for (const [at, each] of value.entries()) compare(each, item, `${path}[${at}]`);
    } else if (models[type]?.getAttributeTypeMap !== undefined) {
      const fields = models[type].getAttributeTypeMap();
      for (const [name, inner] of Object.entries(value)) {
        const field = fields.find(({ baseName }) => baseName === name);
        if (field === undefined) unknown.push(`${path}.${name}`);
        else compare(inner, field.type, `${path}.${name}`);
      }
    } else if (['string', 'number', 'boolean'].includes(type) && typeof value !== type) {
      unknown.push(`${path} is no ${type}`);
    }
  };
  const documents = loadAll(readFileSync(join(DEPLOY, 'kubernetes.yaml'), 'utf8'));
  for (const { kind, ...rest } of documents) compare({ kind, ...rest }, `V1${kind}`, kind);
  const kinds = documents.map(({ kind }) => kind).join(', ');
  check(
    `kubernetes.yaml: every field is one of its kind (${kinds})`,
    documents.length > 0 && unknown.length === 0,
    unknown.join(', '),
  );
  notTried(
    'kubernetes.yaml: a cluster. Its security context (user, read-only root, no capability, seccomp profile) is that of `docker run`',
  );
}

function clean() {
  for (const args of [
    ['rm', '-af', '-t', '5'],
    ['volume', 'rm', '-af'],
    ['network', 'prune', '-f'],
  ])
    tried('podman', args);
  if (given === undefined) {
    tried('podman', ['rmi', '-af']);
    rmSync(folder, { recursive: true, force: true });
  }
}

try {
  prepare();
  clean.isNeeded = true;
  makeBases();
  say('ok', 'base images: stand-ins from the packages of Debian and of npm');
  notTried('the images of the registry: node, debian, redis and haproxy are stand-ins, HAProxy of another version');
  buildImage();
  await tryDockerRun();
  await tryCompose();
  trySystemd();
  await tryKubernetes();
} catch (error) {
  check(error.message, false);
} finally {
  if (clean.isNeeded) clean();
}
process.exitCode = failed === 0 ? 0 : 1;

/** The deployment files: what the sandbox needs is allowed, what is not needed is dropped. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ensureCertificate } from '../../src/config/certificates/certificates.js';
import { loadConfig } from '../../src/config/load.js';
import { publicUrls } from '../../src/config/public-urls.js';
import { shippedConfig } from '../support/haproxy.js';
import { descendantsOf } from '../support/process-tree.js';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
const deploy = (name: string): string => read('docs', 'operations', 'deploy', name);

test('the image has Node 24, bubblewrap, ffmpeg and ss, and none of the bundled binaries', () => {
  const text = read('Dockerfile');
  const [build, last, ...others] = text.match(/^FROM .*/gm) ?? [];
  expect(build).toMatch(/^FROM node:24-bookworm-slim\$\{NODE_DIGEST\} AS build$/);
  expect(last).toMatch(/^FROM debian:bookworm-slim\$\{DEBIAN_DIGEST\}$/);
  expect(others).toEqual([]);
  expect(text).toContain('COPY --from=build /usr/local/bin/node /usr/local/bin/');
  expect(text).toMatch(/install .*bubblewrap ffmpeg iproute2/);
  expect(text).toContain('npm prune --omit=dev && node scripts/prune-install.mjs .');
});

test('the image has a version of Node that the suite is run on', () => {
  const { engines } = JSON.parse(read('package.json'));
  // Those of test/long/node-versions.test.ts; other versions are neither run nor promised.
  expect(engines.node).toBe('^20.19.0 || ^22.12.0 || >=24.0.0');
  expect(read('Dockerfile').match(/node:\d+/g)).toEqual(['node:24']);
});

test('compose and Kubernetes drop capabilities and privileges, and ask Redis for a password', () => {
  const compose = deploy('compose.yaml');
  // HAProxy, the server and Redis.
  expect(compose.match(/^ {4}image: |^ {4}build: /gm)).toHaveLength(3);
  expect(compose.match(/cap_drop: \[ALL\]/g)).toHaveLength(3);
  expect(compose.match(/no-new-privileges:true/g)).toHaveLength(3);
  expect(compose).toMatch(/requirepass/);
  expect(compose).toMatch(/REDIS_URL: redis:\/\/:\$\{REDIS_PASSWORD:\?/);
  const kubernetes = deploy('kubernetes.yaml');
  for (const needed of [
    'automountServiceAccountToken: false',
    'allowPrivilegeEscalation: false',
    'kind: NetworkPolicy',
    'localhostProfile: airlock/seccomp.json',
  ]) {
    expect(kubernetes).toContain(needed);
  }
});

test('Redis of compose ends at SIGTERM as the first process of its container, with its password off the command line', async () => {
  const [, command = '[]'] = /command:\s+(\[[^\]]+\])/.exec(deploy('compose.yaml')) ?? [];
  const line: string[] = JSON.parse(command.replaceAll('$$', '$').replace(/,\s*\]$/, ']'));
  const folder = mkdtempSync(join(tmpdir(), 'airlock-compose-'));
  const container = ['--unshare-user', '--unshare-pid', '--as-pid-1', '--unshare-net', '--dev-bind', '/', '/'];
  const bwrap = spawn('bwrap', [...container, '--proc', '/proc', '--chdir', folder, ...line], {
    env: { PATH: process.env.PATH, REDISCLI_AUTH: 'geheim' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const ended = once(bwrap, 'exit');
    for await (const said of createInterface(bwrap.stdout)) if (said.includes('eady to accept connections')) break;
    const [first = 0] = descendantsOf(bwrap.pid ?? 0);
    expect(basename(readlinkSync(`/proc/${first}/exe`))).toMatch(/^redis/);
    expect(readFileSync(`/proc/${first}/cmdline`, 'utf8')).not.toContain('geheim');
    process.kill(first, 'SIGTERM');
    expect(await ended).toEqual([0, null]);
  } finally {
    for (const pid of descendantsOf(bwrap.pid ?? 0)) process.kill(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});

test('HAProxy passes RTMPS on with the address of the client, and believes no client about its own', () => {
  const compose = deploy('compose.yaml');
  const [, subnet] = /subnet: (\S+?) }/.exec(compose) ?? [];
  expect(compose).toContain(`AIRLOCK_TRUSTED_PROXIES: ${subnet}`);
  expect(compose).toContain('AIRLOCK_PROXY_PROTOCOL: "on"');
  const haproxy = deploy('haproxy.cfg');
  expect(haproxy).toMatch(/airlock:1936 send-proxy-v2/);
  expect(haproxy.indexOf('del-header X-Forwarded-For')).toBeLessThan(haproxy.indexOf('option forwardfor'));
  expect(haproxy.match(/httpchk GET \/readyz\?role=(ingest|web)/g)).toHaveLength(2);
});

test('the probe port is open beyond loopback only where probes come from outside the container', () => {
  expect(read('Dockerfile')).toMatch(/^ +AIRLOCK_PROBE_HOST=0\.0\.0\.0 /m);
  expect(deploy('compose.yaml')).toMatch(/^ +AIRLOCK_PROBE_HOST: 0\.0\.0\.0$/m);
  expect(deploy('kubernetes.yaml')).toMatch(/name: AIRLOCK_PROBE_HOST, value: 0\.0\.0\.0 /);
  expect(deploy('airlock.service')).not.toMatch(/^Environment=.*AIRLOCK_PROBE_HOST/m);
});

const SECRET = 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT';

/** What a start with these settings warns about, and what it listens on. @throws ConfigError */
function started(settings: readonly (readonly [name: string, value: string])[]) {
  const env = Object.fromEntries(settings.map(([name, value]) => [name, value.replace(/^SECRET$/, SECRET)]));
  const { config, warnings } = loadConfig({ env, cwd: ROOT });
  return { host: config.host, quickstart: config.quickstart, httpUrl: publicUrls(config, config).httpUrl, warnings };
}

const pairs = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value] as const);
/** `NAME=value`, as a shell reads it. */
const assigned = (text: string) => pairs(text.replaceAll('\\\n', ' '), /(?:^|\s)([A-Z_]+)=(?:'|")?([^\s'"]+)/g);

const SHARED = { host: '0.0.0.0', quickstart: false, httpUrl: 'https://live.example.org', warnings: [] };

test('two servers by the tutorial, by the guide and in Kubernetes listen for others and share videos and viewers', () => {
  const [, tutorial = ''] = /```sh\n([\s\S]*?)```/.exec(read('docs', 'tutorials', 'two-machines.md')) ?? [];
  expect(started(assigned(tutorial))).toEqual(SHARED);
  const [, guide = '', address = ''] =
    /cat > \/etc\/airlock\/env <<'END'\n([\s\S]*?)END\necho "(.*?)"/.exec(
      read('docs', 'operations', 'two-machines.md'),
    ) ?? [];
  const unit = deploy('airlock.service').replaceAll(/^Environment=/gm, '');
  const own = address.replace(/\$\(.*\)/, '10.0.0.11');
  expect(started(assigned(`${unit}\n${guide}${own}`))).toEqual(SHARED);
  const kubernetes = deploy('kubernetes.yaml').replaceAll('$(POD_IP)', '10.0.0.11');
  const image = assigned(/^ENV ([\s\S]*?[^\\])\n/m.exec(read('Dockerfile'))?.[1] ?? '');
  const values = pairs(kubernetes, /- \{ name: ([A-Z_]+), value: "?([^"]*?)"? \}/g);
  const secrets = pairs(
    kubernetes,
    /- name: ([A-Z_]+)\n\s+valueFrom: \{ secretKeyRef: \{ name: airlock, key: ([\w-]+)/g,
  );
  const filled = secrets.map(([name, key]) => [name, key === 'redis-url' ? 'redis://redis' : SECRET] as const);
  expect(started([...image, ...values, ...filled])).toEqual(SHARED);
});

test('HAProxy accepts the configurations as they stand in the documents', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-haproxy-'));
  const { certFile, keyFile } = await ensureCertificate({
    certsDir: join(folder, 'certs'),
    tlsCert: undefined,
    tlsKey: undefined,
    publicHost: 'localhost',
    publicRtmpsUrl: undefined,
    publicHttpUrl: undefined,
  });
  copyFileSync(certFile, join(folder, 'tls.crt'));
  copyFileSync(keyFile, join(folder, 'tls.crt.key'));
  const file = join(folder, 'haproxy.cfg');
  for (const text of [shippedConfig(), deploy('haproxy.cfg')]) {
    writeFileSync(file, text.replace(/crt \S+\/tls\.\w+/, `crt ${join(folder, 'tls.crt')}`));
    expect(spawnSync('haproxy', ['-c', '-f', file])).toMatchObject({ status: 0 });
  }
  rmSync(folder, { recursive: true, force: true });
});

test('the seccomp profile and the unit allow the system calls of the sandbox', () => {
  const { defaultAction, syscalls } = JSON.parse(deploy('seccomp.json'));
  expect(defaultAction).toBe('SCMP_ACT_ALLOW');
  const denied: string[] = syscalls.flatMap(({ names }: { names: string[] }) => names);
  for (const needed of ['clone', 'clone3', 'unshare', 'mount', 'umount2', 'pivot_root', 'prctl', 'seccomp']) {
    expect(denied).not.toContain(needed);
  }
  expect(denied).toEqual(expect.arrayContaining(['bpf', 'ptrace', 'kexec_load', 'io_uring_setup']));
  expect(deploy('airlock.service')).toMatch(/^RestrictNamespaces=user mnt pid net ipc uts cgroup$/m);
  expect(deploy('airlock.service')).toMatch(/^RestrictAddressFamilies=.*AF_NETLINK$/m);
});

test('the sandbox runs without capabilities and without new privileges, as in the image', () => {
  const confined = ['--reuid=1000', '--regid=1000', '--clear-groups', '--bounding-set=-all', '--no-new-privs'];
  const cage = ['bwrap', '--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', 'true'];
  expect(spawnSync('setpriv', [...confined, ...cage], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

/**
 * The commands of docs/operations/two-machines.md as they stand there but for addresses, secrets and the root of the file
 * system: two servers and HAProxy, each on a machine with a network of its own. Needs root, iproute2, haproxy and ffmpeg.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureCertificate } from '../../src/config/certificates/certificates.js';
import { MAIN } from '../support/airlock.js';
import { source, start } from '../support/ffmpeg.js';
import { type Machine, MachineNetwork } from '../support/machine-network.js';
import { RedisServer } from '../support/redis-server.js';
import { type S3, startS3 } from '../support/s3-server.js';
import { until } from '../support/store-harness.js';

const ROOT = join(import.meta.dirname, '../..');
const GUIDE = readFileSync(join(ROOT, 'docs/operations/two-machines.md'), 'utf8');
const SECRET = 'x7Vq2mKc9RtWz4LbYp8NsHd3JfGa6EuT';
/** The guide promises 3 s until the balancer notices, and the encoder tries again at once; `timeout server` is 60 s. */
const TAKEN_OVER_MS = 30_000;
/** What the units of systemd do: the server with its environment file, and HAProxy with its configuration. */
const SHELL = `
airlock() { ${process.execPath} ${MAIN} "$@"; }
systemctl() {
  if [ "$2" = haproxy ]; then haproxy -D -f /etc/haproxy/haproxy.cfg -p /run/haproxy.pid; return; fi
  if [ -e /run/airlock.pid ]; then
    kill "$(cat /run/airlock.pid)"
    while kill -0 "$(cat /run/airlock.pid)" 2> /dev/null; do sleep 0.1; done
  fi
  ( set -a; . /etc/airlock/env; NODE_ENV=production exec ${process.execPath} ${MAIN} serve >> /run/airlock.log 2>&1 ) &
  echo $! > /run/airlock.pid
}
`;

let network: MachineNetwork;
let redis: RedisServer;
let storage: S3;
let folder: string;
let encoder: ReturnType<typeof start> | undefined;
let first: Machine;
let second: Machine;
let balancer: Machine;

beforeAll(async () => {
  network = new MachineNetwork(3);
  [first, second, balancer] = [network.machines[0]!, network.machines[1]!, network.machines[2]!];
  redis = await RedisServer.start({ host: network.hostOf('stores') });
  storage = await startS3(network.hostOf('stores'));
  folder = mkdtempSync(join(tmpdir(), 'airlock-two-'));
  const { certFile, keyFile } = await ensureCertificate({
    certsDir: join(folder, 'certs'),
    tlsCert: undefined,
    tlsKey: undefined,
    publicHost: balancer.address,
    publicRtmpsUrl: undefined,
    publicHttpUrl: undefined,
  });
  for (const machine of network.machines) {
    for (const name of ['etc/airlock', 'etc/haproxy', 'run', 'var/lib/airlock']) {
      mkdirSync(join(rootOf(machine), name), { recursive: true });
    }
    copyFileSync(certFile, join(rootOf(machine), 'etc/airlock/tls.crt'));
    copyFileSync(keyFile, join(rootOf(machine), 'etc/airlock/tls.key'));
    const pair = [certFile, keyFile].map((file) => readFileSync(file, 'utf8'));
    writeFileSync(join(rootOf(machine), 'etc/haproxy/tls.pem'), pair.join('\n'));
  }
});

afterAll(async () => {
  encoder?.kill();
  for (const machine of network.machines) {
    for (const name of ['airlock.pid', 'haproxy.pid']) stopProcess(join(rootOf(machine), 'run', name));
  }
  await storage.close();
  await redis.stop();
  network.remove();
  rmSync(folder, { recursive: true, force: true });
});

const rootOf = ({ address }: Machine): string => join(folder, address);
const authorityFile = (): string => join(folder, 'certs', 'ca.crt');
const logOf = (machine: Machine): string => readFileSync(join(rootOf(machine), 'run/airlock.log'), 'utf8');

function stopProcess(file: string): void {
  if (!existsSync(file)) return;
  try {
    process.kill(Number(readFileSync(file, 'utf8').trim()), 'SIGTERM');
  } catch {
    // It has ended already.
  }
}

/** Runs a script on a machine, and resolves with what it printed. @throws if a command fails */
function run(machine: Machine, script: string): Promise<string> {
  const adapted = `${SHELL}${script}`
    .replace(/^REDIS_URL=.*$/m, `REDIS_URL=redis://${redis.host}:${redis.port}`)
    .replace(/^AIRLOCK_BLOB_URL=.*$/m, `AIRLOCK_BLOB_URL=${storage.env.AIRLOCK_BLOB_URL}`)
    .replace('ACCESS_KEY_ID=ID', `ACCESS_KEY_ID=${storage.env.AWS_ACCESS_KEY_ID}`)
    .replace('ACCESS_KEY=KEY', `ACCESS_KEY=${storage.env.AWS_SECRET_ACCESS_KEY}`)
    .replace('KEY_SECRET=SECRET', `KEY_SECRET=${SECRET}`)
    .replaceAll('live.example.org', balancer.address)
    .replaceAll('10.0.0.10', balancer.address)
    .replaceAll('10.0.0.11', first.address)
    .replaceAll('10.0.0.12', second.address)
    .replaceAll(/ \/(?=(?:etc|run)\/)|(?<==)\/(?=etc\/|var\/)/g, (found) => `${found.slice(0, -1)}${rootOf(machine)}/`);
  const [program = '', ...parameters] = [...machine.launcher, 'bash', '-e', '-u', '-o', 'pipefail', '-c', adapted];
  return new Promise((resolve, reject) => {
    const child = execFile(program, parameters, { cwd: ROOT }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${script}\n${stdout}\n${stderr}`, { cause: error }));
    });
    child.stdin?.end();
  });
}

/** The blocks of the guide that begin with this comment, in order. */
const blocks = (where: string): string[] =>
  [...GUIDE.matchAll(/^```sh\n# (.*)\n([\s\S]*?)^```/gm)]
    .filter(([, comment]) => comment === where)
    .map(([, , script = '']) => script);

async function statusOf(machine: Machine, id: string): Promise<string> {
  const shown = await run(machine, `set -a; . /etc/airlock/env; set +a; airlock live show ${id} --format json`);
  return JSON.parse(shown).status;
}

test('the guide sets up two servers, and an encoder comes through the upgrade of both as one broadcast', async () => {
  for (const script of blocks('On each server')) {
    for (const machine of [first, second]) expect(await run(machine, script)).toMatch(/^$|"status":"ok"/);
  }
  for (const script of blocks('On the balancer')) await run(balancer, script);
  const https = `curl --silent --show-error --fail --retry 60 --retry-delay 1 --retry-all-errors --cacert ${authorityFile()}`;
  expect(await run(balancer, `${https} https://live.example.org/healthz`)).toContain('"ok"');

  const made = (await Promise.all(blocks('On one server').map((script) => run(first, script)))).join('');
  const [url = '', id = ''] = /rtmps:\/\/\S+\/(\d+)-\S+/.exec(made) ?? [];
  const parameters = [
    ...['-re', ...source({ seconds: 300, size: '320x180', videoKbps: 300 })],
    // The fifo muxer does not ask the encoders for the headers that FLV needs.
    ...[
      '-flags',
      '+global_header',
      '-map',
      '0',
      '-f',
      'fifo',
      '-fifo_format',
      'flv',
      '-attempt_recovery',
      '1',
      '-recover_any_error',
      '1',
    ],
    ...['-recovery_wait_time', '0.3', '-drop_pkts_on_overflow', '1', '-restart_with_keyframe', '1'],
    ...['-format_opts', `tls_verify=1:ca_file=${authorityFile()}`, url],
  ];
  encoder = start(parameters, 600_000);
  await until(async () => (await statusOf(second, id)) === 'LIVE', 60_000);
  const accepted = () => [first, second].map((machine) => logOf(machine).split('"publish accepted"').length - 1);
  await until(() => accepted().some((count) => count > 0));

  for (const script of blocks('On each server, one after the other')) {
    for (const machine of [first, second]) {
      expect(await run(machine, script)).toContain('"status":"ok"');
      expect(await statusOf(machine, id)).toBe('LIVE');
    }
  }
  expect(Math.min(...accepted())).toBeGreaterThan(0);
  // The PROXY header names the encoder, not the balancer.
  expect(logOf(first)).toContain(`"address":"${network.hostOf('encoders')}"`);

  // The machine that receives loses its network: the balancer ends its connections, and the other one takes over.
  const [, before = 0] = accepted();
  first.cut('stores', 'encoders');
  await until(() => (accepted()[1] ?? 0) > before, TAKEN_OVER_MS);
  first.heal();
  encoder.stop();
  await encoder.done;
  await run(first, `set -a; . /etc/airlock/env; set +a; airlock live end ${id}`);
  await until(async () => (await statusOf(first, id)) === 'VOD', 120_000);
});

/** Checks ports, programs, folders, disk, clock and sandbox of this machine, and its certificate. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Certificate, CertificateError, inspectCertificate } from '../../config/certificates/certificates.js';
import { LISTENERS } from '../../config/listeners.js';
import type { Config } from '../../config/settings/schema.js';
import { installLine, TRACE_PACKAGES, traceExport } from '../../config/traces.js';
import type { DiskReserve } from '../../ports/index.js';
import { openCage, type Sandbox } from '../../probe/cage/open-cage.js';
import type { ServerSetup } from '../../server/admin/context.js';
import { explain, messageOf } from '../console/exit.js';
import { TRUST, thisSystem, trustCommand } from './trust.js';

/** A connection on this machine. */
const CONNECT_MS = 5_000;

/** One line of the output of `airlock doctor`. */
export type Level = 'ok' | 'warn' | 'fail';

export interface CheckResult {
  readonly level: Level;
  /** Subject of the check: one or two words. */
  readonly what: string;
  readonly finding: string;
}

export const ok = (what: string, finding: string): CheckResult => ({ level: 'ok', what, finding });
export const warn = (what: string, finding: string): CheckResult => ({ level: 'warn', what, finding });
export const fail = (what: string, finding: string): CheckResult => ({ level: 'fail', what, finding });

/** Looks whether the ports of the running server accept connections; without one, whether those of the settings are free. */
export async function checkPorts(config: Config, running: ServerSetup | undefined): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const { name, port: portIn } of LISTENERS) {
    const what = `${name.toUpperCase()} port`;
    const port = portIn(config);
    if (running !== undefined) results.push(...(await checkOpenPort(what, running.host, running.ports[name], port)));
    else if (port === 0) results.push(ok(what, 'any free port'));
    else if (port !== undefined) results.push(await checkFreePort(what, port, config.host));
  }
  return results;
}

async function checkOpenPort(what: string, host: string, open?: number, wanted?: number): Promise<CheckResult[]> {
  if (open === undefined) {
    const finding = `closed in the running server; a start with the settings given here would open ${wanted}`;
    return wanted === undefined ? [] : [warn(what, finding)];
  }
  if (!(await accepts(host, open)))
    return [
      fail(what, `the running server accepts no connection on ${host}:${open} (after npx airlock drain it is closed)`),
    ];
  const differs = wanted !== undefined && wanted !== 0 && wanted !== open;
  const found = `${host}:${open}, in use by the running server`;
  return [
    differs
      ? warn(what, `${found}, which was started with other settings than those given here (${wanted})`)
      : ok(what, found),
  ];
}

/** Through loopback when the server listens on all addresses. */
function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host });
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error('no answer')));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function checkFreePort(what: string, port: number, host: string): Promise<CheckResult> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(fail(what, explain(error))));
    server.listen({ port, host, exclusive: true }, () =>
      server.close(() => resolve(ok(what, `${host}:${port} is free`))),
    );
  });
}

const run = (program: string, args: readonly string[]): SpawnSyncReturns<string> =>
  spawnSync(program, args, { encoding: 'utf8', timeout: 10_000, stdio: ['ignore', 'pipe', 'ignore'] });

/** ffmpeg remuxes recordings and uploads; libx264 is needed only for the printed ffmpeg command and for some thumbnails. */
export function checkFfmpeg(path: string): CheckResult {
  const version = run(path, ['-hide_banner', '-version']);
  if (version.status !== 0) {
    return fail(
      'ffmpeg',
      `${path} does not run: install ffmpeg or set FFMPEG_PATH. Until then, recordings are not converted to MP4.`,
    );
  }
  const name = versionOf(version.stdout);
  return run(path, ['-hide_banner', '-encoders']).stdout.includes('libx264')
    ? ok('ffmpeg', `${path}, ${name}, with libx264`)
    : warn('ffmpeg', `${path}, ${name}, has no libx264: the printed ffmpeg command cannot run on this machine`);
}

/** `validate` reads most recordings by itself: `missing` says why it can start no other program. */
export function checkValidate(missing: string | undefined): CheckResult {
  const own = 'reads FLV, MP4, MOV, MKV, WebM and TS without ffmpeg';
  const rest = 'other containers, uploads, --loudness full, black pictures and the last frame of TS';
  return missing === undefined
    ? ok('validate', `${own}, and with it: ${rest}`)
    : warn('validate', `${own}; not judged: ${rest}`);
}

/** Without the muxer, no broadcast and no video is compared with copyright references. */
export function checkChromaprint(path: string): CheckResult {
  const { status, stdout } = run(path, ['-hide_banner', '-h', 'muxer=chromaprint']);
  return status === 0 && stdout.includes('Muxer chromaprint')
    ? ok('copyright', 'ffmpeg has the chromaprint muxer')
    : warn('copyright', 'ffmpeg has no chromaprint muxer: the detector of copyright matches is off');
}

export function checkFfprobe(path: string): CheckResult {
  const version = run(path, ['-hide_banner', '-version']);
  return version.status === 0
    ? ok('ffprobe', `${path}, ${versionOf(version.stdout)}`)
    : fail('ffprobe', `${path} does not run: install ffmpeg or set FFPROBE_PATH`);
}

function versionOf(text: string): string {
  return /version (\S+)/.exec(text)?.[1] ?? 'of unknown version';
}

/** statfs(2) magic numbers of network file systems, on which LMDB's locks and memory maps do not work. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x517b, 'SMB'],
  [0x00c36400, 'Ceph'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
]);

/** Share of free space below which the check fails. */
const MIN_FREE_SHARE = 0.01;

export function checkDataFolder(config: Config, isServing: boolean): CheckResult[] {
  const folder = nearestExisting(config.dataDir);
  const results: CheckResult[] = [];
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return [fail('data folder', `${folder} is not writable by this user`)];
  }
  const disk = statfsSync(folder);
  const network = NETWORK_FILE_SYSTEMS.get(disk.type);
  if (config.redisUrl === undefined && network !== undefined) {
    results.push(
      fail('data folder', `${folder} is on ${network}: the embedded store needs a local disk (or set REDIS_URL)`),
    );
  } else {
    const whose = isServing ? `${folder}, of the running server` : folder;
    results.push(ok('data folder', folder === config.dataDir ? whose : `${config.dataDir} will be created`));
  }
  results.push(diskFinding(disk.bavail * disk.bsize, disk.blocks * disk.bsize, config.diskReserve));
  return results;
}

/** `reserve`: AIRLOCK_DISK_RESERVE. */
export function diskFinding(freeBytes: number, diskBytes: number, reserve: DiskReserve): CheckResult {
  const reserveBytes = reserve.bytesOf(diskBytes);
  const text = `${gigabytes(freeBytes)} free of ${gigabytes(diskBytes)}`;
  if (freeBytes < diskBytes * MIN_FREE_SHARE) return fail('disk', `${text}: nothing can be stored`);
  if (reserveBytes >= diskBytes) {
    return fail(
      'disk',
      `${text}: AIRLOCK_DISK_RESERVE=${reserve.text} reserves the whole disk, so nothing is recorded`,
    );
  }
  const reserved = `reserve ${reserve.text} (${gigabytes(reserveBytes)})`;
  return freeBytes < reserveBytes
    ? warn('disk', `${text}, less than the ${reserved}: nothing is recorded and uploads are refused`)
    : ok('disk', `${text}, ${reserved}`);
}

function nearestExisting(folder: string): string {
  let path = folder;
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  return path;
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

/** An earlier time is wrong: no version of this program is older. */
const EARLIEST_CLOCK_MS = Date.UTC(2025, 0, 1);

export function checkClock(nowMs = Date.now()): CheckResult {
  const now = new Date(nowMs).toISOString();
  if (nowMs < EARLIEST_CLOCK_MS) return fail('clock', `${now} is wrong: certificates and leases need the correct time`);
  const sync = run('timedatectl', ['show', '--property=NTPSynchronized', '--value']);
  return sync.status === 0 && sync.stdout.trim() === 'no'
    ? warn('clock', `${now}, not synchronized (NTP): leases and the 8-hour limit depend on it`)
    : ok('clock', now);
}

/** Checks the certificate of the listeners and prints how encoders can trust it. Creates nothing. */
export function checkCertificate(config: Config): CheckResult[] {
  const isLocal = config.tlsCert === undefined;
  const file = config.acmeDomains.length > 0 ? 'acme.crt' : 'server.crt';
  if (isLocal && !existsSync(join(config.certsDir, file))) {
    return [ok('certificate', `none in ${config.certsDir} yet: one is created at the first start`)];
  }
  let certificate: Certificate;
  try {
    certificate = inspectCertificate(config);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    return [
      isLocal
        ? warn('certificate', `${error.message}: a new one is created at the next start`)
        : fail('certificate', error.message),
    ];
  }
  const until = new Date(certificate.expiresMs).toISOString().slice(0, 10);
  const results = certificate.warnings.map((text) => warn('certificate', text));
  results.unshift(ok('certificate', `${certificate.certFile}, for ${certificate.names.join(', ')}, until ${until}`));
  if (certificate.authorityFile !== undefined) {
    const system = thisSystem();
    results.push(
      ok('trust', `${TRUST[system].name}: ${trustCommand(system, certificate.authorityFile)}`),
      ok('OBS', TRUST[system].obs),
    );
  }
  return results;
}

/** Runs the sandbox of ffmpeg and ffprobe, and names what it does not deny. */
export async function checkSandbox(sandbox: Sandbox): Promise<CheckResult> {
  if (sandbox === 'off')
    return warn('sandbox', 'off (AIRLOCK_SANDBOX): a hostile file that takes over ffmpeg has the rights of the server');
  const folder = mkdtempSync(join(tmpdir(), 'airlock-doctor-'));
  try {
    const { cage, problem } = await openCage(sandbox, folder);
    if (cage.kind === 'strong') return ok('sandbox', 'strong: ffmpeg and ffprobe run in bubblewrap');
    const reached = cage.hasOwnUser ? 'the network' : 'the network and the files of the server';
    const left = cage.endsAll
      ? ''
      : ', and leave processes behind that leave their session and clear their environment';
    return warn(
      'sandbox',
      `weak, because ${problem}: a hostile file that takes over ffmpeg can reach ${reached}${left}`,
    );
  } catch (error) {
    return fail('sandbox', messageOf(error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks the export of traces, where the environment asks for it. */
export function checkTraces(env: Readonly<Record<string, string | undefined>>, isInstalled = resolves): CheckResult[] {
  const traces = traceExport(env);
  if (traces === undefined) return [];
  if (traces.problem !== undefined) return [warn('traces', `none are exported: ${traces.problem}`)];
  const missing = Object.keys(TRACE_PACKAGES).filter((name) => !isInstalled(name));
  if (missing.length === 0) return [ok('traces', `exported by OTLP, ${traces.protocol}`)];
  return [warn('traces', `none are exported: packages are missing; run ${installLine(missing)}`)];
}

function resolves(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

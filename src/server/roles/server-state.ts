/** The state of the server, for the overview of its operator. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerState } from '../../dashboard/view/server-state.js';
import { defined } from '../../lib/objects.js';
import type { JobQueue } from '../../vod/jobs/job-queue.js';
import type { Values } from '../metrics/process-metrics.js';
import { countsOf, numberOf } from '../metrics/values.js';
import type { Library } from '../services/library.js';

export interface StateSources {
  readonly values: () => Promise<Values>;
  /** Roles without a process, since nothing needs one. */
  readonly idle: () => readonly string[];
  readonly library: Pick<Library, 'disk'>;
  readonly jobs: Pick<JobQueue, 'depths'>;
  readonly certificatePath: string;
}

export async function serverState({
  values,
  idle,
  library,
  jobs: queue,
  certificatePath,
}: StateSources): Promise<ServerState> {
  const [metrics, disk, jobs, expires] = await Promise.all([
    values(),
    library.disk(),
    queue.depths(),
    expiryOf(certificatePath),
  ]);
  const resident = countsOf(metrics, 'airlock_role_resident_bytes');
  const idleRoles = idle();
  return {
    roles: [...new Set([...Object.keys(resident), ...idleRoles])].map((role) => ({
      role,
      is_idle: idleRoles.includes(role),
      resident_bytes: resident[role] ?? 0,
      cpu_seconds: countsOf(metrics, 'airlock_role_cpu_seconds_total')[role] ?? 0,
      loop_delay_ms: 1_000 * (countsOf(metrics, 'airlock_role_event_loop_delay_p99_seconds')[role] ?? 0),
      restarts: countsOf(metrics, 'airlock_role_restarts_total')[role] ?? 0,
    })),
    connections: numberOf(metrics, 'airlock_connections'),
    publishers: numberOf(metrics, 'airlock_publishers'),
    received_bytes: numberOf(metrics, 'airlock_received_bytes_total'),
    viewers: numberOf(metrics, 'airlock_playback_viewers'),
    feed_readers: numberOf(metrics, 'airlock_feed_readers'),
    journal_pending: numberOf(metrics, 'airlock_journal_pending'),
    recordings_paused: numberOf(metrics, 'airlock_recordings_paused'),
    ...defined({ jobs }),
    ...(disk === undefined ? {} : { disk: { free_bytes: disk.freeBytes, reserve_bytes: disk.reserveBytes } }),
    ...defined({ certificate_expires: expires }),
  };
}

async function expiryOf(path: string): Promise<string | undefined> {
  try {
    return new Date(await certificateExpiryMs(path)).toISOString();
  } catch {
    return undefined;
  }
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * When the first certificate of a chain expires: clients refuse a chain with any expired one. Read each time, since the
 * files are replaced while the server runs. @throws Error when the file holds none
 */
export async function certificateExpiryMs(path: string): Promise<number> {
  const chain = (await readFile(path, 'latin1')).match(PEM) ?? [];
  if (chain.length === 0) throw new Error(`${path} holds no certificate`);
  return Math.min(...chain.map((pem) => Date.parse(new X509Certificate(pem).validTo)));
}

/** The state of the server, for the overview of its operator. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerState } from '../../dashboard/view/server-state.js';
import { defined } from '../../lib/objects.js';
import type { JobQueue } from '../../vod/jobs/job-queue.js';
import type { MetricsSnapshot } from '../metrics/snapshot.js';
import type { Library } from '../services/library.js';

export interface StateSources {
  readonly snapshot: () => Promise<MetricsSnapshot>;
  readonly library: Pick<Library, 'disk'>;
  readonly jobs: Pick<JobQueue, 'depths'>;
  readonly certificatePath: string;
}

export async function serverState({
  snapshot,
  library,
  jobs: queue,
  certificatePath,
}: StateSources): Promise<ServerState> {
  const [counts, disk, jobs, expires] = await Promise.all([
    snapshot(),
    library.disk(),
    queue.depths(),
    expiryOf(certificatePath),
  ]);
  return {
    roles: Object.entries(counts.residentBytes).map(([role, bytes]) => ({
      role,
      resident_bytes: bytes,
      cpu_seconds: counts.cpuSeconds[role] ?? 0,
      loop_delay_ms: 1_000 * (counts.loopDelaySeconds[role] ?? 0),
      restarts: counts.roleRestarts[role] ?? 0,
    })),
    connections: counts.connections,
    publishers: counts.publishers,
    viewers: counts.playbackViewers,
    feed_readers: counts.feedReaders,
    journal_pending: counts.journalPending,
    recordings_paused: counts.recordingsPaused,
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

/** The state of the server, for the overview of its operator. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerState } from '../../dashboard/view/server-state.js';
import { defined } from '../../lib/objects.js';
import type { MetricsSnapshot } from '../metrics/snapshot.js';
import type { MediaServices } from '../services/media.js';

export interface StateSources {
  readonly snapshot: () => Promise<MetricsSnapshot>;
  readonly media: Pick<MediaServices, 'vod'>;
  readonly certificatePath: string;
}

export async function serverState({ snapshot, media, certificatePath }: StateSources): Promise<ServerState> {
  const [counts, disk, jobs, expires] = await Promise.all([
    snapshot(),
    media.vod.disk(),
    media.vod.jobs.depths(),
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

/** Read each time: the certificate is replaced while the server runs. */
async function expiryOf(path: string): Promise<string | undefined> {
  try {
    return new Date(new X509Certificate(await readFile(path)).validTo).toISOString();
  } catch {
    return undefined;
  }
}

/** `health_status` of a live video: one word for the state of its running stream. */
import type { Call } from '../../graph/call.js';
import type { LiveVideo } from '../shared/documents.js';

export type HealthStatus = 'good' | 'warning' | 'poor' | 'no_data';

/** `poor` with an open error, `warning` with any other open record, `no_data` while no encoder is connected. */
export function healthStatus(live: LiveVideo, call: Call): HealthStatus | Promise<HealthStatus> {
  return live.data.stream === 'connected' ? healthOfRunning(live.data.crosspostOf ?? live.id, call) : 'no_data';
}

async function healthOfRunning(id: string, call: Call): Promise<HealthStatus> {
  const { broadcasts, store } = call.services;
  const health = await broadcasts.health(id);
  if (health === undefined || !health.connected || health.streamTimeMs === 0) return 'no_data';
  if (health.openErrors.length === 0) return 'good';
  const { records } = await store.records.page(id, { limit: 1, open: true, severity: 'error' });
  return records.length > 0 ? 'poor' : 'warning';
}

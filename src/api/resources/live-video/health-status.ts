/** `health_status` of a live video: one word for the state of its running stream. */
import type { StreamHealth } from '../../../ports/index.js';
import type { Call } from '../../graph/call.js';
import type { LiveVideo } from '../shared/documents.js';

export type HealthStatus = 'good' | 'warning' | 'poor' | 'no_data';

/** `poor` with an open error, `warning` with any other open record, `no_data` while no encoder is connected. */
export async function healthStatus(live: LiveVideo, call: Call): Promise<HealthStatus> {
  if (live.data.stream !== 'connected') return 'no_data';
  const id = live.data.crosspostOf ?? live.id;
  const { broadcasts, store } = call.services;
  const health = await broadcasts.health(id);
  if (health === undefined || !health.connected || health.streamTimeMs === 0) return 'no_data';
  if (health.inputStream !== undefined) return statusOfInputs(id, health, call);
  if (health.openErrors.length === 0) return 'good';
  const { records } = await store.records.page(id, { limit: 1, open: true, severity: 'error' });
  return records.length > 0 ? 'poor' : 'warning';
}

/** Where there are two input streams, the one on air counts in full, and the other one as a warning. */
async function statusOfInputs(id: string, { inputStream }: StreamHealth, call: Call): Promise<HealthStatus> {
  const { records } = await call.services.store.records.page(id, { limit: 100, open: true });
  const isPoor = records.some((record) => record.severity === 'error' && record.input_stream === inputStream);
  if (isPoor) return 'poor';
  return records.some(({ severity }) => severity !== 'info') ? 'warning' : 'good';
}

/** Observed values over time: stored ones, extended by the feed. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { SERIES_COLUMNS } from '../../../view/health-series.js';
import type { HealthView } from '../../../view/protocol.js';
import type { Sent } from '../../shared/advice.js';
import { useReading } from '../client/queries.js';
import { useSession } from '../client/session.js';
import type { History } from './chart-data.js';

export interface Observed {
  readonly history: History | undefined;
  readonly fault: string;
  reload(): void;
}

const SAMPLE_MS = 2_000;
const REREAD_MS = 60_000;

/** The stored history, extended with values from the feed at the same interval. It is read again once the broadcast is over. */
export function useHistory(id: string, health: HealthView | undefined, live: boolean, over: boolean): Observed {
  const { api } = useSession();
  const queries = useQueryClient();
  const key = useMemo(() => ['history', id, live, over], [id, live, over]);
  const { answer, fault, read } = useReading<History>({
    queryKey: key,
    queryFn: ({ signal }) => api.get<History>(`/dashboard/data/history/${id}`, {}, signal),
    refetchInterval: live && !over ? REREAD_MS : false,
  });
  useEffect(() => {
    if (health === undefined || !live) return;
    queries.setQueryData<History>(key, (held) => held && withHealth(held, health));
  }, [queries, key, health, live]);
  return { history: answer, fault, reload: () => void read() };
}

function withHealth(history: History, health: HealthView): History {
  const atMs = Date.parse(health.at);
  const lastMs = history.points.at(-1)?.[0] ?? 0;
  if (atMs - lastMs < SAMPLE_MS) return history;
  const values: Readonly<Record<(typeof SERIES_COLUMNS)[number], number | undefined>> = {
    at: atMs,
    video_kbps: health.video_bitrate_kbps,
    video_kbps_min: health.video_bitrate_kbps,
    video_kbps_max: health.video_bitrate_kbps,
    audio_kbps: health.audio_bitrate_kbps,
    frame_rate: health.frame_rate,
    key_frame_interval_ms: health.key_frame_interval_ms,
    width: health.width,
    height: health.height,
    frame_rate_class: health.frame_rate_class,
  };
  return { ...history, points: [...history.points, SERIES_COLUMNS.map((column) => values[column] ?? null)] };
}

/** The stream as its encoder last left it, with the newest frame rate class that is known. */
export function sentOf(history: History | undefined): Sent {
  const column = history?.columns.indexOf('frame_rate_class') ?? -1;
  const known = history?.points.findLast((point) => typeof point[column] === 'number')?.[column];
  return { ...history?.last_stream, ...(known === 30 || known === 60 ? { frame_rate_class: known } : {}) };
}

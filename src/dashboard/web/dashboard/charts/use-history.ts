/** Observed values over time: stored ones, extended by the feed. */
import { useEffect, useState } from 'react';
import { SERIES_COLUMNS } from '../../../view/health-series.js';
import type { HealthView } from '../../../view/protocol.js';
import type { Sent } from '../../shared/advice.js';
import { messageOf } from '../client/api.js';
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
  const [history, setHistory] = useState<History>();
  const [fault, setFault] = useState('');
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    const read = async (): Promise<void> => {
      try {
        setHistory(await api.get<History>(`/dashboard/data/history/${id}`, {}, controller.signal));
        setFault('');
      } catch (error) {
        if (!controller.signal.aborted) setFault(messageOf(error));
      }
    };
    void read();
    const timer = live && !over ? window.setInterval(() => void read(), REREAD_MS) : undefined;
    return () => {
      controller.abort();
      window.clearInterval(timer);
    };
  }, [api, id, live, over, tries]);
  useEffect(() => {
    if (health === undefined || !live) return;
    setHistory((held) => (held === undefined ? held : withHealth(held, health)));
  }, [health, live]);
  return { history, fault, reload: () => setTries(tries + 1) };
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

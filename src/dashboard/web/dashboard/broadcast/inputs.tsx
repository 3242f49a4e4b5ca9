/** Both input streams of a broadcast with a backup, side by side: which one is on air, and a button for the other. */
import { type JSX, useEffect } from 'react';
import type { BroadcastView } from '../../../view/protocol.js';
import { Fault } from '../../ui/callout.js';
import { Card } from '../../ui/card.js';
import { useRows } from '../client/rows.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';

interface InputRow {
  readonly id: string;
  readonly stream_id: '0' | '1';
  readonly on_air?: boolean;
  readonly stream_health?: {
    readonly encoder: string;
    readonly video_width?: number;
    readonly video_height?: number;
    readonly video_framerate?: number;
    readonly video_bitrate?: number;
    readonly audio_sample_rate?: number;
    readonly open_errors: readonly number[];
  };
}

const SHOWN = { fields: 'id,stream_id,on_air,stream_health' } as const;
const NAMES = { '0': 'Primary', '1': 'Backup' } as const;
/** A switch and its health are shown so soon. */
const REFRESH_MS = 2_000;

export function Inputs({ view, over }: { view: BroadcastView; over: boolean }): JSX.Element | null {
  const { api } = useSession();
  const { rows, fault, read } = useRows<InputRow>(api, `/${view.id}/input_streams`, SHOWN, view.status);
  const isPair = rows !== undefined && rows.length > 1 && !over;
  useEffect(() => {
    if (!isPair) return undefined;
    const timer = setInterval(() => void read(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isPair, read]);
  if (!isPair) return null;
  const onAir = rows.find((row) => row.on_air === true);
  return (
    <Card title="Two encoders" folds>
      {fault === '' ? null : <Fault message={fault} retry={() => void read()} />}
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        {rows.map((row) => (
          <article key={row.id} data-input={row.stream_id}>
            <h3>
              {NAMES[row.stream_id]} – {stateOf(row)}
            </h3>
            <p className="break-words text-sm text-muted">{settingsOf(row)}</p>
            {row.on_air === true || row.stream_health === undefined ? null : (
              <ActionButton
                confirm={{ question: questionOf(row, onAir), yes: 'Put on air', no: 'Leave it' }}
                act={() => api.post(`/${row.id}`, { on_air: 'true' }).then(read)}
              >
                Put on air
              </ActionButton>
            )}
          </article>
        ))}
      </div>
    </Card>
  );
}

function stateOf({ on_air: isOnAir, stream_health: health }: InputRow): string {
  if (isOnAir === true) return 'On air';
  return health === undefined ? 'Not connected' : 'Stands by';
}

function settingsOf({ stream_health: health }: InputRow): string {
  if (health === undefined) return 'No encoder publishes with its key.';
  const { video_width: width, video_height: height, video_framerate: rate, video_bitrate: bitrate } = health;
  const parts = [
    health.encoder,
    width === undefined ? '' : `${width}x${height}`,
    rate === undefined ? '' : `${Math.round(rate)} fps`,
    bitrate === undefined ? '' : `${Math.round(bitrate / 1000)} kbps`,
    health.audio_sample_rate === undefined ? '' : `${health.audio_sample_rate} Hz`,
    health.open_errors.length === 0 ? 'no open record' : `open: ${health.open_errors.join(', ')}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** Says what will happen. */
function questionOf(row: InputRow, onAir: InputRow | undefined): string {
  const now = onAir === undefined ? '' : ` ${NAMES[onAir.stream_id]} then stands by, and stays connected.`;
  return `Put ${NAMES[row.stream_id].toLowerCase()} on air? Viewers, recording and forwards switch at its next key frame.${now}`;
}

/** A broadcast on the wall: picture, levels, bitrate against its range, state by word and color, and for how long. */
import type { JSX } from 'react';
import type { BroadcastView } from '../../../view/protocol.js';
import { type BroadcastState, isOpen } from '../../shared/feed-state.js';
import { duration, kbps } from '../../shared/format.js';
import { type HealthLine, healthLine, sinceOf } from '../../shared/health-line.js';
import type { Gauge } from '../../shared/row.js';
import { healthOf, titleOf, verdicts } from '../../shared/verdicts.js';
import { classes } from '../../ui/classes.js';
import { Still } from '../client/still.js';

const EDGES: Readonly<Record<HealthLine['tone'], string>> = {
  fail: 'border-fail',
  warn: 'border-warn',
  pass: 'border-line',
  quiet: 'border-line',
};
const WORDS: Readonly<Record<HealthLine['tone'], string>> = {
  fail: 'bg-fail text-on-accent',
  warn: 'bg-warn text-on-accent',
  pass: 'text-pass',
  quiet: 'text-muted',
};

interface TileProps {
  readonly broadcast: BroadcastState;
  readonly view: BroadcastView;
  readonly nowMs: number;
}

export function WallTile({ broadcast, view, nowMs }: TileProps): JSX.Element {
  const health = healthOf(broadcast);
  const rows = verdicts(broadcast.records.values(), health, view, nowMs);
  const { word, tone } = healthLine(view, health, rows, nowMs);
  const isLarge = tone === 'fail' || tone === 'warn';
  const since = sinceOf(view, broadcast.records.values());
  const bitrate = rows.find(({ row }) => row.id === 'video-bitrate');
  const worst = isLarge ? worstOf(broadcast) : undefined;
  return (
    <li
      className={classes(
        'flex flex-col overflow-hidden rounded-lg border-2 bg-card [contain:content]',
        EDGES[tone],
        isLarge && 'min-[420px]:col-span-2 row-span-2',
      )}
    >
      <div className={classes('relative', isLarge && 'flex-1')}>
        <Still id={view.id} alt="" className={isLarge ? 'h-full min-h-[180px]' : 'aspect-video'} />
        {health?.connected === true && health.channel_lufs !== undefined ? <Levels lufs={health.channel_lufs} /> : null}
      </div>
      <div className={classes('flex flex-col gap-0.5 px-2 py-1.5', isLarge ? 'text-base' : 'text-sm')}>
        <span className="flex items-center justify-between gap-2">
          <span className={classes('rounded-sm px-1.5 font-semibold', WORDS[tone])}>{word}</span>
          {since === undefined ? null : <time className="tabular-nums text-muted">{duration(nowMs - since)}</time>}
        </span>
        <span className="truncate font-semibold" dir="auto">
          {view.title ?? 'Untitled'}
        </span>
        {worst === undefined ? null : <span className="truncate text-ink">{worst}</span>}
        <span className="flex items-center gap-2 tabular-nums text-muted">
          {health?.video_bitrate_kbps === undefined ? '–' : kbps(health.video_bitrate_kbps)}
          {bitrate?.gauge === undefined ? null : <Range {...bitrate.gauge} />}
        </span>
      </div>
    </li>
  );
}

/** The title of the worst open record, and how many there are besides. */
function worstOf({ records }: BroadcastState): string | undefined {
  const open = [...records.values()].filter((record) => isOpen(record) && record.severity !== 'info');
  const first = open.find(({ severity }) => severity === 'error') ?? open[0];
  if (first === undefined) return undefined;
  return open.length === 1 ? titleOf(first) : `${titleOf(first)}, and ${open.length - 1} more`;
}

/** Bounds of the scale, in LUFS. */
const QUIETEST = -60;
/** All channels together are one. */
const CHANNELS = ['first', 'second'];

/** One bar a channel. Hidden from screen readers: for them, silence and loudness are records. */
function Levels({ lufs }: { lufs: readonly number[] }): JSX.Element {
  return (
    <span className="absolute bottom-1 right-1 top-1 flex gap-0.5" aria-hidden="true">
      {lufs.map((level, channel) => (
        <span key={CHANNELS[channel]} className="relative h-full w-1.5 overflow-hidden rounded-xs bg-black opacity-80">
          <span
            className="absolute inset-x-0 bottom-0 bg-pass"
            style={{ height: `${Math.round(100 * Math.min(1, Math.max(0, 1 - level / QUIETEST)))}%` }}
          />
        </span>
      ))}
    </span>
  );
}

/** The value on a scale with the allowed range; the number is beside it. */
function Range({ value, min, max }: Gauge): JSX.Element {
  const top = max * 1.25;
  const percent = (part: number): string => `${Math.min(100, Math.max(0, (part / top) * 100)).toFixed(0)}%`;
  return (
    <span className="relative block h-1 flex-1 rounded-xs bg-line" aria-hidden="true">
      <span
        className="absolute inset-y-0 rounded-xs bg-pass opacity-55"
        style={{ left: percent(min), width: percent(max - min) }}
      />
      <span className="absolute -top-[3px] -ml-px h-2.5 w-0.5 bg-ink" style={{ left: percent(value) }} />
    </span>
  );
}

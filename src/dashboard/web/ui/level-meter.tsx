/** Levels of the audio channels, from the frames that the server sampled. */
import type { JSX } from 'react';
import { DEAD_AIR } from '../../../spec/tolerances.js';
import { number } from '../shared/format.js';
import { classes } from './classes.js';

/** Bounds of the scale, in LUFS. */
const SCALE = { from: -60, to: 0 } as const;
const MARKS = [-60, -48, -36, -24, -12, 0];
/** Nothing is left for peaks above this mean level. */
const HOT_LUFS = -9;

const at = (lufs: number): number =>
  (100 * (Math.min(Math.max(lufs, SCALE.from), SCALE.to) - SCALE.from)) / (SCALE.to - SCALE.from);

export function LevelMeter(props: { channels: readonly number[]; loudness: number | undefined }): JSX.Element {
  const { channels, loudness } = props;
  const names = channels.length === 2 ? ['L', 'R'] : ['Mix'];
  return (
    <section aria-label="Audio level" className="mb-4 rounded-lg border border-line bg-card px-4 py-2.5">
      {channels.map((lufs, index) => (
        <Channel key={names[index]} name={names[index] ?? ''} lufs={lufs} />
      ))}
      <div className="ml-11 mr-[84px] flex justify-between text-xs text-muted" aria-hidden="true">
        {MARKS.map((mark) => (
          <span key={mark}>{mark}</span>
        ))}
      </div>
      {loudness === undefined ? null : (
        <p className="mt-1 text-sm text-muted">Loudness since the start: {number(loudness, 1)} LUFS</p>
      )}
    </section>
  );
}

function Channel({ name, lufs }: { name: string; lufs: number }): JSX.Element {
  const isSilent = lufs < DEAD_AIR.quietLufs.value;
  const tone = isSilent ? 'bg-warn' : lufs > HOT_LUFS ? 'bg-fail' : 'bg-pass';
  const text = lufs <= SCALE.from ? 'silent' : `${number(lufs, 0)} LUFS`;
  return (
    <div className="flex items-center gap-3 py-1 text-sm">
      <span className="w-8 whitespace-nowrap font-semibold text-muted">{name}</span>
      <meter
        className="sr-only"
        aria-label={`Level ${name}`}
        min={SCALE.from}
        max={SCALE.to}
        value={Math.max(lufs, SCALE.from)}
      >
        {text}
      </meter>
      <span className="h-2 flex-1 overflow-hidden rounded-full bg-ground" aria-hidden="true">
        <span
          className={classes(
            'block h-full rounded-full motion-safe:transition-[width] motion-safe:duration-500 motion-safe:ease-linear',
            tone,
          )}
          style={{ width: `${at(lufs)}%` }}
        />
      </span>
      <span className="w-[72px] text-right tabular-nums">{text}</span>
    </div>
  );
}

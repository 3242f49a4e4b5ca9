/** The state of a broadcast. */
import type { JSX } from 'react';
import { classes } from './classes.js';

export interface StateLabel {
  readonly text: string;
  readonly tone: 'live' | 'ready' | 'alert' | 'quiet';
}

const TONES: Readonly<Record<StateLabel['tone'], string>> = {
  live: 'border-live bg-live text-white',
  ready: 'border-line text-ink',
  alert: 'border-warn text-warn',
  quiet: 'border-line text-ink',
};

const DOTS: Readonly<Record<StateLabel['tone'], string>> = {
  live: 'bg-white',
  ready: 'bg-accent',
  alert: 'bg-warn',
  quiet: 'bg-muted',
};

export function StatePill({ text, tone }: StateLabel): JSX.Element {
  return (
    <span
      className={classes(
        'inline-flex items-center gap-1.5 whitespace-nowrap rounded-sm border px-2 py-px text-sm font-semibold',
        TONES[tone],
      )}
    >
      <span className={classes('size-2 rounded-full', DOTS[tone])} aria-hidden="true" />
      {text}
    </span>
  );
}

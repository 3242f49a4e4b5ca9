/** A sentence that stands out, in the color of its verdict. */
import type { JSX, ReactNode } from 'react';
import { Button } from './button.js';
import { classes } from './classes.js';

export type Tone = 'pass' | 'warn' | 'fail' | 'quiet';

export const TONES: Readonly<Record<Tone, string>> = {
  pass: 'bg-pass-soft text-pass',
  warn: 'bg-warn-soft text-warn',
  fail: 'bg-fail-soft text-fail',
  quiet: 'bg-ground text-muted',
};

export function Callout(props: {
  tone: Tone;
  /** `none`: something else says when it changes. */
  role?: 'status' | 'alert' | 'none';
  className?: string;
  children: ReactNode;
}): JSX.Element {
  const { tone, role = 'status', className, children } = props;
  return (
    <div
      {...(role === 'none' ? {} : { role })}
      className={classes(
        'mb-4 flex flex-wrap items-center gap-x-2.5 gap-y-1.5 rounded-md border-l-4 border-current px-3.5 py-2.5',
        TONES[tone],
        className,
      )}
    >
      {children}
    </div>
  );
}

export function Fault({ message, retry }: { message: string; retry?: () => void }): JSX.Element {
  return (
    <Callout tone="fail" role="alert">
      <p>{message}</p>
      {retry === undefined ? null : <Button onClick={retry}>Retry</Button>}
    </Callout>
  );
}

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }): JSX.Element {
  return (
    <span
      className={classes(
        'inline-block whitespace-nowrap rounded-full px-2 py-px text-xs font-semibold leading-[18px]',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

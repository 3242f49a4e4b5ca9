/** Icons of verdicts. Each has its own shape, so that no meaning depends on color alone. */
import { Check, CircleAlert, Minus, X } from 'lucide-react';
import type { JSX } from 'react';
import { classes } from './classes.js';

export type SignVerdict = 'pass' | 'warn' | 'fail' | 'unjudged';

const ICONS = { pass: Check, warn: CircleAlert, fail: X, unjudged: Minus } as const;

const COLORS: Readonly<Record<SignVerdict, string>> = {
  pass: 'bg-pass-soft text-pass',
  warn: 'bg-warn-soft text-warn',
  fail: 'bg-fail-soft text-fail',
  unjudged: 'bg-ground text-muted',
};

const VERDICT_LABELS: Readonly<Record<SignVerdict, string>> = {
  pass: 'OK',
  warn: 'Warning',
  fail: 'Failing',
  unjudged: 'No data yet',
};

/** For an ended broadcast. */
export const FINAL_LABELS: Readonly<Record<SignVerdict, string>> = {
  ...VERDICT_LABELS,
  fail: 'Failed',
  unjudged: 'No data',
};

/** `silent`: the text beside it says the same. */
export function VerdictSign(props: { verdict: SignVerdict; label?: string; silent?: boolean }): JSX.Element {
  const { verdict, label = VERDICT_LABELS[verdict], silent = false } = props;
  const Icon = ICONS[verdict];
  return (
    <span className={classes('inline-grid size-5 flex-none place-items-center rounded-full', COLORS[verdict])}>
      <Icon size={13} strokeWidth={2.75} aria-hidden="true" />
      {silent ? null : <span className="sr-only">{label}</span>}
    </span>
  );
}

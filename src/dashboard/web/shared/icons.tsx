/** Icons of verdicts. Each has its own shape, so that no meaning depends on color alone. */
import type { JSX } from 'react';
import type { Verdict } from './verdicts.js';

const PATHS: Readonly<Record<Verdict, string>> = {
  pass: 'M3.5 8.5l3 3 6-7',
  warn: 'M8 3.2v5.6M8 11.8v.6',
  fail: 'M4 4l8 8M12 4l-8 8',
  unjudged: 'M4 8h8',
};

const VERDICT_LABELS: Readonly<Record<Verdict, string>> = {
  pass: 'OK',
  warn: 'Warning',
  fail: 'Failing',
  unjudged: 'No data yet',
};

/** For an ended broadcast. */
export const FINAL_LABELS: Readonly<Record<Verdict, string>> = {
  ...VERDICT_LABELS,
  fail: 'Failed',
  unjudged: 'No data',
};

/** `silent`: the text beside it says the same. */
export function VerdictSign(props: { verdict: Verdict; label?: string; silent?: boolean }): JSX.Element {
  const { verdict, label = VERDICT_LABELS[verdict], silent = false } = props;
  return (
    <span className={`sign sign-${verdict}`}>
      <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
        <path d={PATHS[verdict]} fill="none" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />
      </svg>
      {silent ? null : <span className="hidden">{label}</span>}
    </span>
  );
}

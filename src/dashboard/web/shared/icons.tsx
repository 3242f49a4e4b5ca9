/** Signs of a verdict: a shape for each, so that colour alone says nothing. */
import type { JSX } from 'preact';
import type { Verdict } from './verdicts.js';

const PATHS: Readonly<Record<Verdict, string>> = {
  pass: 'M3.5 8.5l3 3 6-7',
  warn: 'M8 3.2v5.6M8 11.8v.6',
  fail: 'M4 4l8 8M12 4l-8 8',
  unjudged: 'M4 8h8',
};

export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  pass: 'Kept',
  warn: 'Warning',
  fail: 'Broken',
  unjudged: 'Not judged',
};

export function VerdictSign({ verdict, silent = false }: { verdict: Verdict; silent?: boolean }): JSX.Element {
  return (
    <span class={`sign sign-${verdict}`}>
      <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
        <path d={PATHS[verdict]} fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" />
      </svg>
      {silent ? null : <span class="hidden">{VERDICT_WORDS[verdict]}</span>}
    </span>
  );
}

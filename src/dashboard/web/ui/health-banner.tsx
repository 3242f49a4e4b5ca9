/** The first line of both pages: word, color, one sentence, what is sent. */
import type { JSX } from 'react';
import type { HealthLine } from '../shared/health-line.js';
import { Callout } from './callout.js';
import { classes } from './classes.js';
import { VerdictSign } from './verdict-sign.js';

const SIGNS = { pass: 'pass', warn: 'warn', fail: 'fail', quiet: 'unjudged' } as const;

export function HealthBanner({ line, className }: { line: HealthLine; className?: string }): JSX.Element {
  return (
    <Callout tone={line.tone} className={classes('items-start', className)}>
      <VerdictSign verdict={SIGNS[line.tone]} silent />
      <p className="min-w-0 flex-1">
        <strong>{line.word}:</strong> <span>{line.sentence}</span>
        {line.sent.length === 0 ? null : <span className="block text-sm text-ink">{line.sent.join(' · ')}</span>}
      </p>
    </Callout>
  );
}

/** The first line of both pages: word, color, one sentence, what is sent. */
import type { JSX } from 'react';
import { clockTime, plural } from '../shared/format.js';
import type { HealthLine } from '../shared/health-line.js';
import { Callout } from './callout.js';
import { classes } from './classes.js';
import { VerdictSign } from './verdict-sign.js';

const SIGNS = { pass: 'pass', warn: 'warn', fail: 'fail', quiet: 'unjudged' } as const;

/** Changes each second, and is not announced. */
const COUNTDOWN = /(: (?:ends|the broadcast closes) in \d+ s)/;

/** The sentence has the word: it is not said twice. */
const says = ({ word, sentence }: HealthLine): boolean => sentence.toLowerCase().includes(word.toLowerCase());

export function HealthBanner(props: {
  line: HealthLine;
  sinceMs: number | undefined;
  /** Undefined: not known. */
  viewers?: number | undefined;
  className?: string;
}): JSX.Element {
  const { line, sinceMs, viewers, className } = props;
  const [before, countdown, after] = line.sentence.split(COUNTDOWN);
  const details = [
    ...line.sent,
    ...(sinceMs === undefined ? [] : [`since ${clockTime(sinceMs)}`]),
    ...(viewers === undefined ? [] : [plural(viewers, 'viewer')]),
  ];
  return (
    <Callout tone={line.tone} role="none" className={classes('items-start', className)}>
      <VerdictSign verdict={SIGNS[line.tone]} silent />
      <p className="min-w-0 flex-1">
        <span role="status">
          {says(line) ? null : <strong>{line.word}: </strong>}
          <span className={classes(says(line) && 'font-semibold')}>
            {before}
            <span aria-live="off">{countdown}</span>
            {after}
          </span>
        </span>
        {details.length === 0 ? null : <span className="block text-sm text-ink">{details.join(' · ')}</span>}
      </p>
    </Callout>
  );
}

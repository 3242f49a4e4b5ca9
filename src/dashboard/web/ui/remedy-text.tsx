/** A remedy. Short command-line options in it are not wrapped: half an option would read as a different one. */
import type { JSX } from 'react';
import { pieces } from '../shared/pieces.js';
import { classes } from './classes.js';

/** Longer options, as a chain of filters, are wider than a phone. */
const UNWRAPPED_MAX = 30;

export function RemedyText({ remedy }: { remedy: string }): JSX.Element {
  return (
    <>
      {pieces(remedy).map(({ at, text, isOption }) =>
        isOption ? (
          <code
            key={at}
            className={classes('font-mono text-[0.9em]', text.length <= UNWRAPPED_MAX && 'whitespace-nowrap')}
          >
            {text}
          </code>
        ) : (
          text
        ),
      )}
    </>
  );
}

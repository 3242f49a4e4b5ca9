/** Text in which an option of a command line is never broken across lines: half of it would be another one. */
import type { JSX } from 'preact';
import { pieces } from './pieces.js';

export function Words({ text: whole }: { text: string }): JSX.Element {
  return (
    <>
      {pieces(whole).map(({ at, text, isOption }) =>
        isOption ? (
          <span key={at} class="option">
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </>
  );
}

/** A remedy. Command-line options in it are never wrapped: half an option would read as a different one. */
import type { JSX } from 'react';
import { pieces } from './pieces.js';

export function RemedyText({ remedy }: { remedy: string }): JSX.Element {
  return (
    <>
      {pieces(remedy).map(({ at, text, isOption }) =>
        isOption ? (
          <span key={at} className="option">
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </>
  );
}

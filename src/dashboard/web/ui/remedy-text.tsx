/** A remedy. Command-line options in it are never wrapped: half an option would read as a different one. */
import type { JSX } from 'react';
import { pieces } from '../shared/pieces.js';

export function RemedyText({ remedy }: { remedy: string }): JSX.Element {
  return (
    <>
      {pieces(remedy).map(({ at, text, isOption }) =>
        isOption ? (
          <code key={at} className="whitespace-nowrap font-mono text-[0.9em]">
            {text}
          </code>
        ) : (
          text
        ),
      )}
    </>
  );
}

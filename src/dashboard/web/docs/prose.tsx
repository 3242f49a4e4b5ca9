/** Text of the document: paragraphs, blocks of code between fences, and code between backticks. */
import { Fragment, type JSX } from 'react';

const CODE = 'rounded-sm bg-ground px-1 py-px font-mono text-sm text-ink';

/** Each part by its place: the text of a document does not change. */
const placed = (parts: readonly string[]): readonly (readonly [number, string])[] => [...parts.entries()];

export function Line({ text }: { text: string }): JSX.Element {
  return (
    <>
      {placed(text.split('`')).map(([at, part]) =>
        at % 2 === 1 ? (
          <code key={at} className={CODE}>
            {part}
          </code>
        ) : (
          <Fragment key={at}>{part}</Fragment>
        ),
      )}
    </>
  );
}

export function Prose({ text }: { text: string }): JSX.Element {
  return (
    <>
      {placed(text.split('```')).map(([at, part]) =>
        at % 2 === 1 ? (
          <Code key={at} text={part.replace(/^\w*\n/, '').trimEnd()} />
        ) : (
          placed(part.trim().split(/\n{2,}/)).map(([line, paragraph]) => (
            <p key={`${at} ${line}`} className="my-2 max-w-prose">
              <Line text={paragraph} />
            </p>
          ))
        ),
      )}
    </>
  );
}

export function Code({ text }: { text: string }): JSX.Element {
  return (
    <pre className="my-2 overflow-hidden whitespace-pre-wrap rounded-md border border-line bg-ground px-3 py-2 font-mono text-sm">
      <code>{text}</code>
    </pre>
  );
}

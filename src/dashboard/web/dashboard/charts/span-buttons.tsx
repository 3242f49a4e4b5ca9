/** Chooses how much of the time is shown, and leaves a zoom. */
import type { JSX } from 'react';
import { Button } from '../../ui/button.js';

export function SpanButtons(props: {
  spans: readonly { readonly title: string; readonly ms: number }[];
  /** The span that is shown; undefined: a zoom is. */
  shownMs: number | undefined;
  choose: (ms: number) => void;
  resetZoom: () => void;
}): JSX.Element {
  const { spans, shownMs, choose, resetZoom } = props;
  return (
    <fieldset className="print:hidden inline-flex flex-wrap gap-1.5">
      <legend className="sr-only">Shown time</legend>
      {shownMs === undefined ? <Button onClick={resetZoom}>Reset zoom</Button> : null}
      {spans.map(({ title, ms }) => (
        <Button key={title} aria-pressed={shownMs === ms} onClick={() => choose(ms)}>
          {title}
        </Button>
      ))}
    </fieldset>
  );
}

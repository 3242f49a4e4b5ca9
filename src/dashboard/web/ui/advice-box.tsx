/** Remedies of all open errors together, with a copy button. */
import type { JSX, ReactNode } from 'react';
import type { Advice } from '../shared/advice.js';
import { CopyButton } from './copy-field.js';
import { RemedyText } from './remedy-text.js';

/** `children`: a control that does it. */
export function AdviceBox(props: { advice: Advice; title?: string; children?: ReactNode }): JSX.Element | null {
  const { advice, title = 'What to change', children } = props;
  const { steps, text, options } = advice;
  if (steps.length === 0) return null;
  return (
    <section aria-label={title} className="mb-4 rounded-lg border border-line bg-card px-4 py-3">
      <div className="mb-1.5 flex flex-wrap items-center justify-between gap-2">
        <h2>{title}</h2>
        <CopyButton label="what to change" text={text} />
      </div>
      <ul className="flex list-disc flex-col gap-1 pl-5">
        {steps.map((step) => (
          <li key={step}>
            <RemedyText remedy={step} />
          </li>
        ))}
      </ul>
      {options.length < 2 ? null : (
        <p className="mt-2 rounded-md bg-ground px-2.5 py-1.5 font-mono text-sm">{options.join(' ')}</p>
      )}
      {children}
    </section>
  );
}

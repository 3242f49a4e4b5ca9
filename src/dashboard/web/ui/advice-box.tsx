/** Remedies of all open errors together, and what to paste or set in the encoder, with copy buttons. */
import type { JSX, ReactNode } from 'react';
import { type Advice, fieldText } from '../shared/advice.js';
import { CopyButton } from './copy-field.js';
import { RemedyText } from './remedy-text.js';

/** `children`: a control that does it. */
export function AdviceBox(props: { advice: Advice; title?: string; children?: ReactNode }): JSX.Element | null {
  const { advice, title = 'What to change', children } = props;
  const { steps, text, line, fields } = advice;
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
      {line === undefined ? null : <PasteLine {...line} />}
      {fields.length === 0 ? null : <Fields fields={fields} />}
      {children}
    </section>
  );
}

function PasteLine({ what, text }: NonNullable<Advice['line']>): JSX.Element {
  return (
    <div className="mt-2.5">
      <div className="flex flex-wrap items-center justify-between gap-2 text-sm">
        <h3>{what}</h3>
        <CopyButton label={what} text={text} />
      </div>
      <p className="mt-1.5 whitespace-pre-line rounded-md bg-ground px-2.5 py-1.5 font-mono text-sm">{text}</p>
    </div>
  );
}

function Fields({ fields }: Pick<Advice, 'fields'>): JSX.Element {
  return (
    <div className="mt-2.5 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3>Fields in OBS</h3>
        <CopyButton label="fields in OBS" text={fields.map(fieldText).join('\n')} />
      </div>
      <table className="mt-1 w-full border-collapse text-left">
        <thead className="sr-only">
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(({ place, field, value }) => (
            <tr key={place + field + value} className="align-top">
              <th scope="row" className="border-t border-line py-1 font-normal">
                {field}
                <small className="block text-xs">{place}</small>
              </th>
              <td className="border-t border-line py-1 pl-2.5 text-right font-semibold">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Both input streams of a broadcast side by side: which one is on air, and a button for the other. */
import type { JSX } from 'react';
import type { InputSeen } from '../shared/inputs.js';
import { ActionButton } from './button.js';
import { Badge } from './callout.js';

/** `putOnAir` undefined: the token does not permit it. */
export function InputPair(props: {
  inputs: readonly InputSeen[];
  putOnAir: ((inputStreamId: string) => Promise<unknown>) | undefined;
  messageOf: (error: unknown) => string;
}): JSX.Element {
  const { inputs, putOnAir, messageOf } = props;
  return (
    <div className="grid grid-cols-2 gap-3">
      {inputs.map(({ id, name, state, settings, health, question }) => (
        <article key={id} aria-label={name} className="flex min-w-0 flex-col items-start gap-1">
          <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {name}
            <Badge tone={state === 'On air' ? 'pass' : state === 'Stands by' ? 'quiet' : 'warn'}>{state}</Badge>
          </h3>
          <p className="wrap-anywhere text-sm text-muted">{settings}</p>
          {health === '' ? null : <p className="text-sm">{health}</p>}
          {question === undefined || putOnAir === undefined ? null : (
            <ActionButton
              confirm={{
                question: `Put the ${name.toLowerCase()} encoder on air?`,
                detail: question,
                yes: 'Put on air',
                no: 'Leave as it is',
              }}
              act={() => putOnAir(id)}
              messageOf={messageOf}
            >
              Put on air
            </ActionButton>
          )}
        </article>
      ))}
    </div>
  );
}

import type { JSX, ReactNode } from 'react';
import { Spinner } from '../ui/card.js';

/** Shown in place of the page: what is wrong and what to do. */
export function Notice(props: { title: string; busy?: boolean; children: ReactNode }): JSX.Element {
  return (
    <main className="px-4 py-6 text-center text-muted" role="status">
      {props.busy ? <Spinner /> : null}
      <h1 className="my-2 text-base text-ink">{props.title}</h1>
      {props.children}
    </main>
  );
}

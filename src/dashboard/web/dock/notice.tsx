import type { JSX, ReactNode } from 'react';

/** Shown in place of the page: what is wrong and what to do. */
export function Notice(props: { title: string; busy?: boolean; children: ReactNode }): JSX.Element {
  return (
    <section className="notice" role="status">
      {props.busy ? <span className="spinner" aria-hidden="true" /> : null}
      <h1>{props.title}</h1>
      {props.children}
    </section>
  );
}

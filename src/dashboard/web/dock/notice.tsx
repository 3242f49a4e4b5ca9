import type { ComponentChildren, JSX } from 'preact';

/** Shown in place of the page: what is wrong and what to do. */
export function Notice(props: { title: string; busy?: boolean; children: ComponentChildren }): JSX.Element {
  return (
    <section class="notice" role="status">
      {props.busy ? <span class="spinner" aria-hidden="true" /> : null}
      <h1>{props.title}</h1>
      {props.children}
    </section>
  );
}

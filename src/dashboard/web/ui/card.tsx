/** A titled section with a border. */
import type { JSX, ReactNode } from 'react';
import { CARD, classes } from './classes.js';

export function Card(props: {
  title: string;
  /** Accessible name; the title without it. */
  label?: string;
  /** Beside the title. */
  aside?: ReactNode;
  className?: string;
  children: ReactNode;
}): JSX.Element {
  const { title, label = title, aside, className, children } = props;
  return (
    <section className={classes(CARD, className)} aria-label={label}>
      <div className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="mr-auto">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

export function Empty(props: { title: string; isPage?: boolean; children?: ReactNode }): JSX.Element {
  const { title, isPage = false, children } = props;
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="px-5 py-8 text-center text-muted">
      <Heading className="mb-1.5 text-lg font-semibold text-ink">{title}</Heading>
      {children}
    </div>
  );
}

export function Spinner(): JSX.Element {
  return (
    <span
      className="inline-block size-3.5 flex-none animate-spin rounded-full border-2 border-current border-r-transparent"
      aria-hidden="true"
    />
  );
}

export function Loading({ what }: { what: string }): JSX.Element {
  return (
    <p className="flex items-center gap-2.5 py-5 text-muted" role="status">
      <Spinner />
      {what}
    </p>
  );
}

/** A titled section with a border. */
import { type JSX, type ReactNode, useState, useSyncExternalStore } from 'react';
import { CARD, classes } from './classes.js';

export function Card(props: {
  title: string;
  /** Accessible name; the title without it. */
  label?: string;
  /** Beside the title. */
  aside?: ReactNode;
  className?: string;
  /** Closed at first on a phone. */
  folds?: boolean;
  children: ReactNode;
}): JSX.Element {
  const { title, label = title, aside, className, folds = false, children } = props;
  const isPhone = useIsPhone();
  if (folds && isPhone) return <Folded {...{ title, label, aside, className, children }} />;
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

function Folded(props: {
  title: string;
  label: string;
  aside: ReactNode;
  className: string | undefined;
  children: ReactNode;
}): JSX.Element {
  const { title, label, aside, className, children } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <section className={classes(CARD, className)} aria-label={label}>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <h2 className="inline">{title}</h2>
        </summary>
        {isOpen ? (
          <>
            <div className="my-2 flex flex-wrap items-center gap-x-4 gap-y-2">{aside}</div>
            {children}
          </>
        ) : null}
      </details>
    </section>
  );
}

const PHONE = window.matchMedia('(max-width: 639px)');

function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      PHONE.addEventListener('change', listener);
      return () => PHONE.removeEventListener('change', listener);
    },
    () => PHONE.matches,
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

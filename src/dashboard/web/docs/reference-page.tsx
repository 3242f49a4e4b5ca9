/** The HTTP interface: all operations by the object that they belong to, found by words, tried with the session of the browser. */
import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { type JSX, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { Fault } from '../ui/callout.js';
import { Empty, Loading } from '../ui/card.js';
import { CARD, classes, FIELD, LINK } from '../ui/classes.js';
import { Logo } from '../ui/logo.js';
import { ThemeSwitch } from '../ui/theme-switch.js';
import { groupsOf, type Interface, type Operation, operationsOf } from './document.js';
import { OperationView } from './operation-view.js';
import { Line, Prose } from './prose.js';
import { isSignedIn } from './send.js';

async function readInterface(): Promise<Interface> {
  const answer = await fetch('../openapi.json');
  if (!answer.ok) throw new Error(`the server answered with status ${answer.status}`);
  return answer.json();
}

export function ReferencePage(): JSX.Element {
  const { data, failureReason, refetch } = useQuery({ queryKey: ['interface'], queryFn: readInterface });
  const { data: isIn = false } = useQuery({ queryKey: ['session'], queryFn: isSignedIn });
  return (
    <>
      <Header isSignedIn={isIn} />
      <main className="mx-auto max-w-[1600px] p-4 md:p-6">
        {data !== undefined ? (
          <Reference described={data} isSignedIn={isIn} />
        ) : failureReason === null ? (
          <Loading what="Loading the interface" />
        ) : (
          <Fault message="The server cannot be reached. It is asked again." retry={() => void refetch()} />
        )}
      </main>
    </>
  );
}

const PAGE =
  'border-b-2 border-transparent py-1.5 text-muted no-underline hover:border-accent hover:text-ink aria-[current]:border-accent aria-[current]:text-ink';

function Header({ isSignedIn: isIn }: { isSignedIn: boolean }): JSX.Element {
  return (
    <header className="flex flex-wrap items-center gap-x-6 gap-y-1 border-b border-line bg-card px-4 py-2.5 md:px-6 print:hidden">
      <a className="flex items-center gap-2 text-lg font-bold text-ink no-underline" href="../dashboard/">
        <Logo /> Airlock
      </a>
      <nav aria-label="Pages" className="flex flex-wrap gap-x-5 gap-y-1 max-sm:gap-x-3.5 max-sm:text-sm">
        <a className={PAGE} href="../dashboard/">
          Dashboard
        </a>
        <a className={PAGE} href="./" aria-current="page">
          API
        </a>
        <a className={PAGE} href="../help/">
          Help
        </a>
      </nav>
      <div className="ml-auto flex items-center gap-3">
        <span className="text-sm text-muted max-sm:sr-only">{isIn ? 'Signed in' : 'Not signed in'}</span>
        <ThemeSwitch />
      </div>
    </header>
  );
}

interface ReferenceProps {
  readonly described: Interface;
  readonly isSignedIn: boolean;
}

function Reference({ described, isSignedIn: isIn }: ReferenceProps): JSX.Element {
  const operations = useMemo(() => operationsOf(described), [described]);
  const [search, setSearch] = useState('');
  const words = useDeferredValue(search);
  const groups = useMemo(() => [...groupsOf(operations, words)], [operations, words]);
  const count = groups.reduce((sum, [, group]) => sum + group.length, 0);
  return (
    <div className="grid items-start gap-x-6 lg:grid-cols-[220px_minmax(0,1fr)]">
      <div className="lg:sticky lg:top-4 lg:max-h-[calc(100vh-2rem)] lg:overflow-y-auto lg:p-0.5">
        <input
          type="search"
          className={classes(FIELD, 'w-full text-sm')}
          placeholder="Path, word or parameter"
          aria-label="Find operations by path, word or parameter"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <p className="my-2 text-sm text-muted" role="status">
          {count === operations.length ? `${count} operations` : `${count} of ${operations.length} operations`}
        </p>
        <nav aria-label="Objects" className="max-lg:hidden">
          <ul>
            {groups.map(([tag, group]) => (
              <li key={tag}>
                <a
                  className="flex justify-between rounded-sm px-1.5 py-1 text-sm text-ink no-underline hover:bg-card"
                  href={`#${tag}`}
                >
                  {tag} <span className="text-muted">{group.length}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </div>
      <div className="min-w-0">
        <section className={CARD}>
          <h1>{described.info.title}</h1>
          <p className="text-sm text-muted">
            Version {described.info.version}, as{' '}
            <a className={LINK} href="../openapi.json">
              OpenAPI document
            </a>
          </p>
          <Prose text={described.info.description} />
        </section>
        {count === 0 ? <Empty title="No operation has these words" /> : null}
        {groups.map(([tag, group]) => (
          <Group key={tag} {...{ tag, group, described, isSignedIn: isIn }} />
        ))}
      </div>
    </div>
  );
}

interface GroupProps extends ReferenceProps {
  readonly tag: string;
  readonly group: readonly Operation[];
}

function Group({ tag, group, ...rest }: GroupProps): JSX.Element {
  return (
    <section id={tag} aria-label={tag} className="mb-6 scroll-mt-4">
      <h2 className="mb-2">{tag}</h2>
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-card">
        {group.map((operation) => (
          <li key={operation.id} id={operation.id} className="scroll-mt-4">
            <Row operation={operation} {...rest} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const TONES: Readonly<Record<string, string>> = { GET: 'text-accent', POST: 'text-pass', DELETE: 'text-fail' };

/** The address leads to this operation. */
const isNamed = (id: string): boolean => window.location.hash === `#${id}`;

function Row({ operation, ...rest }: ReferenceProps & { readonly operation: Operation }): JSX.Element {
  const { id, method, path, summary } = operation;
  const [isOpen, setOpen] = useState(() => isNamed(id));
  useEffect(() => {
    const look = (): void => {
      if (!isNamed(id)) return;
      setOpen(true);
      document.getElementById(id)?.scrollIntoView();
    };
    look();
    window.addEventListener('hashchange', look);
    return () => window.removeEventListener('hashchange', look);
  }, [id]);
  const toggle = (open: boolean): void => {
    if (open === isOpen) return;
    setOpen(open);
    // No step of its own for Back.
    if (open) window.history.replaceState(null, '', `#${id}`);
  };
  return (
    <details className="group" open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary className="grid grid-cols-[14px_52px_minmax(0,1fr)] items-baseline gap-x-3 px-4 py-2 hover:bg-ground focus-visible:-outline-offset-2 md:grid-cols-[14px_52px_minmax(0,2fr)_minmax(0,3fr)]">
        <ChevronRight size={14} className="self-center text-muted group-open:rotate-90" aria-hidden="true" />
        <b className={classes('font-mono text-sm', TONES[method])}>{method}</b>
        <code className="font-mono text-sm">{path}</code>
        <span className="text-sm text-muted max-md:col-start-3">
          <Line text={summary} />
        </span>
      </summary>
      {isOpen ? <OperationView operation={operation} {...rest} /> : null}
    </details>
  );
}

/** The frame of every page: navigation, state of the feed, theme switch and account. */
import { Menu as MenuIcon } from 'lucide-react';
import { type JSX, type ReactNode, useEffect, useRef } from 'react';
import { clockTime, pageTitle } from '../shared/format.js';
import { onAirOf } from '../shared/inputs.js';
import { useValue } from '../shared/value.js';
import { openCounts } from '../shared/verdicts.js';
import { Spinner } from '../ui/card.js';
import { buttonClass, classes } from '../ui/classes.js';
import { Logo } from '../ui/logo.js';
import { Panel } from '../ui/panel.js';
import { ThemeSwitch } from '../ui/theme-switch.js';
import { useAnswer } from './client/queries.js';
import { linkTo, type Route } from './client/route.js';
import { useSession } from './client/session.js';
import { NotifySwitch } from './notify.js';

const NAVIGATION: readonly {
  readonly title: string;
  readonly href: string;
  readonly pages: readonly Route['page'][];
}[] = [
  { title: 'Broadcasts', href: linkTo.broadcasts, pages: ['broadcasts', 'broadcast'] },
  { title: 'Videos', href: linkTo.videos, pages: ['videos', 'video'] },
  { title: 'New broadcast', href: linkTo.new, pages: ['new'] },
];

const FOR_OPERATORS = { title: 'Copyright', href: linkTo.matches, pages: ['matches'] } as const;
const OVERVIEW = { title: 'Server', href: linkTo.overview, pages: ['overview'] } as const;

/** Copyright matches need a token of the scope `operator`, the overview one of the scope `operator_read`. */
function useOperatorPages(): typeof NAVIGATION {
  const { api } = useSession();
  const { answer } = useAnswer<{ readonly operator: boolean; readonly overview: boolean }>(
    api,
    '/dashboard/data/viewer',
  );
  return [...(answer?.overview === true ? [OVERVIEW] : []), ...(answer?.operator === true ? [FOR_OPERATORS] : [])];
}

/** `account`: the menu of who is signed in. */
export function Frame(props: { route: Route; account: ReactNode; children: ReactNode }): JSX.Element {
  const { route, account, children } = props;
  const operatorPages = useOperatorPages();
  useTitle(route);
  useFocusOfPage(route);
  return (
    <>
      <button
        type="button"
        className={classes(buttonClass(), 'absolute -left-[9999px] focus:left-2 focus:top-2 focus:z-40')}
        onClick={focusContent}
      >
        Skip to content
      </button>
      <header className="border-b border-line bg-card print:hidden">
        <div className="mx-auto flex max-w-[1600px] items-center gap-x-6 px-4 py-2 max-sm:gap-x-2 md:px-6">
          <a
            className="flex flex-none items-center gap-2 whitespace-nowrap text-lg font-bold text-ink no-underline"
            href={linkTo.broadcasts}
          >
            <Logo /> Airlock
          </a>
          <nav aria-label="Pages" className="flex gap-x-5 max-xl:hidden">
            <Links pages={operatorPages} current={route.page} />
          </nav>
          <div className="ml-auto flex flex-none items-center gap-2 max-sm:gap-1.5">
            <FeedSign />
            <NotifySwitch />
            <ThemeSwitch />
            {account}
            <Menu pages={operatorPages} current={route.page} />
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} className="mx-auto max-w-[1600px] p-4 outline-none md:p-6">
        {children}
      </main>
    </>
  );
}

interface LinksProps {
  readonly pages: typeof NAVIGATION;
  readonly current: Route['page'];
}

const OTHERS = [
  { title: 'Check a file', href: '../check/' },
  { title: 'API', href: '../docs/' },
  { title: 'Help', href: '../help/' },
] as const;

const NAV_LINK =
  'whitespace-nowrap border-b-2 border-transparent py-1.5 text-muted no-underline hover:border-accent hover:text-ink aria-[current]:border-accent aria-[current]:text-ink';

function Links({ pages, current, onGo }: LinksProps & { onGo?: () => void }): JSX.Element {
  return (
    <>
      {[...NAVIGATION, ...pages].map(({ title, href, pages: own }) => (
        <a
          key={title}
          href={href}
          onClick={onGo}
          {...(own.includes(current) ? { 'aria-current': 'page' as const } : {})}
          className={NAV_LINK}
        >
          {title}
        </a>
      ))}
      {OTHERS.map(({ title, href }) => (
        <a key={title} href={href} className={NAV_LINK}>
          {title}
        </a>
      ))}
    </>
  );
}

/** The links where the header has no room for them. */
function Menu({ pages, current }: LinksProps): JSX.Element {
  const name = (
    <>
      <MenuIcon size={14} className="my-[3px]" aria-hidden="true" />
      <span className="max-sm:sr-only">Menu</span>
    </>
  );
  return (
    <Panel button={name} title="Menu" className="xl:hidden">
      {(close) => (
        <nav aria-label="Pages" className="flex flex-col items-start gap-y-1">
          <Links pages={pages} current={current} onGo={close} />
        </nav>
      )}
    </Panel>
  );
}

/** A button rather than a link: the fragment holds the route, so a link to #content would navigate away. */
function focusContent(): void {
  document.getElementById('content')?.focus();
}

function FeedSign(): JSX.Element {
  const { feed } = useSession();
  const { phase, heardMs } = useValue(feed.connection);
  const shape = 'inline-flex items-center gap-2 rounded-full px-2.5 py-0.5 text-sm max-sm:px-1';
  if (phase === 'live') {
    return (
      <span className={`${shape} text-muted`} role="status">
        <span className="size-2 rounded-full bg-pass" aria-hidden="true" />
        <span className="max-sm:sr-only">Up to date</span>
      </span>
    );
  }
  if (phase === 'failed') {
    return (
      <span className={`${shape} bg-warn-soft text-warn`} role="status">
        Disconnected: reload this page
      </span>
    );
  }
  return (
    <span className={`${shape} bg-warn-soft text-warn`} role="status">
      <Spinner />
      {heardMs === 0 ? 'Connecting' : `Reconnecting, last update ${clockTime(heardMs)}`}
    </span>
  );
}

const PLACES: Partial<Readonly<Record<Route['page'], string>>> = {
  new: 'New broadcast · Airlock',
  videos: 'Videos · Airlock',
  video: 'Video · Airlock',
  matches: 'Copyright · Airlock',
  overview: 'Server · Airlock',
};

/** Another page begins at its content, for the keyboard and for a screen reader. */
function useFocusOfPage(route: Route): void {
  const page = JSON.stringify(route);
  const former = useRef(page);
  useEffect(() => {
    if (former.current === page) return;
    former.current = page;
    const content = document.getElementById('content');
    if (content?.contains(document.activeElement) === false) content.focus({ preventScroll: true });
  }, [page]);
}

/** The open errors, of the broadcast that is shown or of all, in the title of the tab. */
function useTitle(route: Route): void {
  const { feed } = useSession();
  const { broadcasts } = useValue(feed.feed);
  const shown = route.page === 'broadcast' ? broadcasts.get(route.id) : undefined;
  const counted = shown === undefined ? [...broadcasts.values()] : [shown];
  const errors = counted.reduce(
    (sum, { records, health }) => sum + openCounts(records.values(), onAirOf(health)).errors,
    0,
  );
  const place = shown?.view?.title ?? PLACES[route.page] ?? 'Airlock';
  const title = pageTitle(place, errors);
  useEffect(() => {
    document.title = title;
  }, [title]);
}

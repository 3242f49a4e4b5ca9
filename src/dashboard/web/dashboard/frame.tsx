/** The frame of every page: navigation, state of the feed, theme switch and sign-out. */
import { type JSX, type ReactNode, useEffect } from 'react';
import { clockTime } from '../shared/format.js';
import { useValue } from '../shared/value.js';
import { openCounts } from '../shared/verdicts.js';
import { linkTo, type Route } from './route.js';
import { useSession } from './session.js';
import { switchTheme, theme } from './theme.js';

export function Frame({ route, children }: { route: Route; children: ReactNode }): JSX.Element {
  const session = useSession();
  useTitle();
  const current = (...pages: readonly Route['page'][]): { 'aria-current'?: 'page' } =>
    pages.includes(route.page) ? { 'aria-current': 'page' } : {};
  return (
    <>
      <button type="button" className="button skip" onClick={focusContent}>
        Skip to content
      </button>
      <header className="top">
        <a className="brand" href={linkTo.broadcasts}>
          Airlock
        </a>
        <nav aria-label="Pages">
          <a href={linkTo.broadcasts} {...current('broadcasts', 'broadcast')}>
            Broadcasts
          </a>
          <a href={linkTo.videos} {...current('videos', 'video')}>
            Videos
          </a>
          <a href={linkTo.new} {...current('new')}>
            New broadcast
          </a>
        </nav>
        <div className="top-end">
          <FeedSign />
          <ThemeSwitch />
          <button type="button" className="button" onClick={session.signOut}>
            Sign out
          </button>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** A button rather than a link: the fragment holds the route, so a link to #content would navigate away. */
function focusContent(): void {
  document.getElementById('content')?.focus();
}

function FeedSign(): JSX.Element {
  const { feed } = useSession();
  const { phase, heardMs } = useValue(feed.connection);
  if (phase === 'live') {
    return (
      <span className="feed feed-live" role="status">
        Up to date
      </span>
    );
  }
  if (phase === 'failed') {
    return (
      <span className="feed feed-lost" role="status">
        Disconnected: reload this page
      </span>
    );
  }
  return (
    <span className="feed feed-lost" role="status">
      <span className="spinner" aria-hidden="true" />
      {heardMs === 0 ? 'Connecting' : `Reconnecting, last update ${clockTime(heardMs)}`}
    </span>
  );
}

function ThemeSwitch(): JSX.Element {
  const now = useValue(theme);
  return (
    <button
      type="button"
      className="button"
      onClick={switchTheme}
      aria-label={`Switch to ${now === 'dark' ? 'light' : 'dark'} theme`}
    >
      {now === 'dark' ? 'Light' : 'Dark'}
    </button>
  );
}

/** Shows the number of open errors in the title of the tab. */
function useTitle(): void {
  const { feed } = useSession();
  const { broadcasts } = useValue(feed.feed);
  let errors = 0;
  for (const { records } of broadcasts.values()) errors += openCounts(records.values()).errors;
  useEffect(() => {
    document.title = errors > 0 ? `(${errors}) Airlock` : 'Airlock';
  }, [errors]);
}

/** The sign-in form, or the page of the current route inside the frame. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type JSX, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { ConnectionState } from '../shared/feed-connection.js';
import { useValue } from '../shared/value.js';
import { Fault } from '../ui/callout.js';
import { Empty, Loading } from '../ui/card.js';
import { LINK } from '../ui/classes.js';
import { AccountMenu } from './account-menu.js';
import { BroadcastPage } from './broadcast/broadcast-page.js';
import { messageOf } from './client/api.js';
import { faultText, Queries } from './client/queries.js';
import { type Route, useRoute } from './client/route.js';
import {
  openSession,
  readSession,
  SESSION_EVERY_MS,
  SESSION_QUERY,
  type Session,
  SessionContext,
  type SignedIn as SessionState,
  signInByCode,
  signOut,
  takeSignInCode,
  useStarted,
} from './client/session.js';
import { CreatePage } from './create-page.js';
import { Frame } from './frame.js';
import { MatchesPage } from './matches/matches-page.js';
import { BroadcastList } from './overview/broadcast-list.js';
import { OverviewPage } from './overview/overview-page.js';
import { SignIn } from './sign-in.js';
import { VideoPage } from './videos/video-page.js';
import { VideosPage } from './videos/videos-page.js';

export function App(): JSX.Element {
  return (
    <Queries>
      <Entrance />
    </Queries>
  );
}

/** Who is signed in is the server's to say: the page keeps nothing of it. */
function Entrance(): JSX.Element {
  const queries = useQueryClient();
  const [notice, setNotice] = useState('');
  const query = useQuery({
    queryKey: SESSION_QUERY,
    queryFn: readSession,
    refetchInterval: SESSION_EVERY_MS,
    refetchIntervalInBackground: true,
  });
  const { data, refetch } = query;
  const enter = useCallback(
    (state: SessionState) => {
      setNotice('');
      queries.setQueryData(SESSION_QUERY, state);
    },
    [queries],
  );
  const isExchanging = useSignInLink(enter, setNotice);
  const [times, setTimes] = useState(0);
  // Its session has ended, or this browser has signed in anew in another tab.
  const look = useCallback(async () => {
    const { data: now } = await refetch();
    if (now?.session === null) setNotice('Your session has ended. Sign in again.');
    else setTimes((count) => count + 1);
  }, [refetch]);
  const leave = useCallback(
    async (everywhere: boolean) => {
      await signOut(everywhere);
      enter({ session: null });
    },
    [enter],
  );
  if (isExchanging) return <Loading what="Signing in" />;
  if (data === undefined) {
    const fault = faultText(query);
    return fault === '' ? <Loading what="Loading" /> : <Fault message={fault} retry={() => void refetch()} />;
  }
  const { session } = data;
  if (session === null) return <SignIn notice={notice} onSignIn={enter} />;
  if (notice !== '') return <SignIn notice={notice} onSignIn={enter} onBack={() => setNotice('')} />;
  const ownerId = session.owner_id;
  return (
    // Answers for another owner are not shown to this one.
    <Queries key={`${ownerId} ${times}`}>
      <SignedIn onRefused={look} account={<AccountMenu ownerId={ownerId} leave={leave} />} />
    </Queries>
  );
}

/** True while the code of a one-time link is exchanged for a session. */
function useSignInLink(enter: (state: SessionState) => void, refuse: (reason: string) => void): boolean {
  const [code, setCode] = useState(takeSignInCode);
  useEffect(() => {
    // A link that is opened in a tab which has this page already changes the fragment only.
    const look = (): void => {
      const found = takeSignInCode();
      if (found !== undefined) setCode(found);
    };
    window.addEventListener('hashchange', look);
    return () => window.removeEventListener('hashchange', look);
  }, []);
  useEffect(() => {
    if (code === undefined) return;
    signInByCode(code)
      .then(enter)
      .catch((error: unknown) => refuse(messageOf(error)))
      .finally(() => setCode(undefined));
  }, [code, enter, refuse]);
  return code !== undefined;
}

interface SignedInProps {
  /** The server refuses the session of the page. */
  readonly onRefused: () => Promise<void>;
  readonly account: ReactNode;
}

function SignedIn({ onRefused, account }: SignedInProps): JSX.Element {
  const [session] = useState<Session>(() => openSession());
  useStarted(session);
  const { phase } = useValue(session.feed.connection);
  useEffect(() => {
    if (phase === 'refused') void onRefused();
  }, [phase, onRefused]);
  useReread(phase);
  const route = useRoute();
  return (
    <SessionContext.Provider value={session}>
      <Frame route={route} account={account}>
        <RoutedPage route={route} />
      </Frame>
    </SessionContext.Provider>
  );
}

/** Reads again what is shown once the feed is back: the server may have changed it meanwhile, or was restarted. */
function useReread(phase: ConnectionState['phase']): void {
  const queries = useQueryClient();
  const wasAway = useRef(false);
  useEffect(() => {
    if (phase === 'reconnecting') wasAway.current = true;
    if (phase !== 'live' || !wasAway.current) return;
    wasAway.current = false;
    void queries.invalidateQueries();
  }, [phase, queries]);
}

function RoutedPage({ route }: { route: Route }): JSX.Element {
  switch (route.page) {
    case 'broadcasts':
      return <BroadcastList />;
    case 'broadcast':
      return <BroadcastPage key={route.id} id={route.id} />;
    case 'new':
      return <CreatePage />;
    case 'videos':
      return <VideosPage />;
    case 'video':
      return <VideoPage key={route.id} id={route.id} />;
    case 'matches':
      return <MatchesPage />;
    case 'overview':
      return <OverviewPage />;
    case 'unknown':
      return (
        <Empty title="Page not found" isPage>
          <a className={LINK} href="#/">
            All broadcasts
          </a>
        </Empty>
      );
  }
}

/** The sign-in form, or the page of the current route inside the frame. */
import { type JSX, useCallback, useEffect, useState } from 'react';
import { defined } from '../../../lib/objects.js';
import { useValue } from '../shared/value.js';
import { Empty, Loading } from '../ui/card.js';
import { LINK } from '../ui/classes.js';
import { BroadcastPage } from './broadcast/broadcast-page.js';
import { type Credentials, messageOf } from './client/api.js';
import { type Route, useRoute } from './client/route.js';
import {
  exchangeCode,
  openSession,
  type Session,
  SessionContext,
  storeCredentials,
  storedCredentials,
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
  const [credentials, setCredentials] = useState(storedCredentials);
  const [notice, setNotice] = useState('');
  const signOut = useCallback((reason = '') => {
    storeCredentials(undefined);
    setNotice(reason);
    setCredentials(undefined);
  }, []);
  const signIn = useCallback((entered: Credentials) => {
    storeCredentials(entered);
    setNotice('');
    setCredentials(entered);
  }, []);
  const isExchanging = useSignInLink(signIn, signOut);
  if (isExchanging) return <Loading what="Signing in" />;
  if (credentials === undefined) return <SignIn notice={notice} onSignIn={signIn} />;
  return <SignedIn key={credentials.token} credentials={credentials} signOut={signOut} />;
}

/** True while the code of a one-time link is exchanged for a token. */
function useSignInLink(signIn: (entered: Credentials) => void, signOut: (reason: string) => void): boolean {
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
    exchangeCode(code)
      .then(({ token, proof }) => signIn({ token, ...defined({ proof }) }))
      .catch((error: unknown) => signOut(messageOf(error)))
      .finally(() => setCode(undefined));
  }, [code, signIn, signOut]);
  return code !== undefined;
}

interface SignedInProps {
  readonly credentials: Credentials;
  readonly signOut: (reason?: string) => void;
}

function SignedIn({ credentials, signOut }: SignedInProps): JSX.Element {
  const [session] = useState<Session>(() => openSession(credentials, () => signOut()));
  useStarted(session);
  const { phase } = useValue(session.feed.connection);
  useEffect(() => {
    if (phase === 'refused') signOut('The token is unknown, expired or revoked.');
  }, [phase, signOut]);
  const route = useRoute();
  return (
    <SessionContext.Provider value={session}>
      <Frame route={route}>
        <RoutedPage route={route} />
      </Frame>
    </SessionContext.Provider>
  );
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

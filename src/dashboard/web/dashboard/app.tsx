/** Sign in, then the page that the fragment names, inside one frame. */
import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { useValue } from '../shared/value.js';
import type { Credentials } from './api.js';
import { BroadcastList } from './broadcast-list.js';
import { BroadcastPage } from './broadcast-page.js';
import { CreatePage } from './create-page.js';
import { Frame } from './frame.js';
import { type Route, useRoute } from './route.js';
import { keepCredentials, openSession, type Session, SessionContext, storedCredentials } from './session.js';
import { SignIn } from './sign-in.js';
import { Empty } from './ui.js';
import { VideoPage } from './video-page.js';
import { VideosPage } from './videos-page.js';

export function App(): JSX.Element {
  const [credentials, setCredentials] = useState(storedCredentials);
  const [notice, setNotice] = useState('');
  const signOut = useCallback((why = '') => {
    keepCredentials(undefined);
    setNotice(why);
    setCredentials(undefined);
  }, []);
  const signIn = useCallback((given: Credentials) => {
    keepCredentials(given);
    setNotice('');
    setCredentials(given);
  }, []);
  if (credentials === undefined) return <SignIn notice={notice} onSignIn={signIn} />;
  return <SignedIn key={credentials.token} credentials={credentials} signOut={signOut} />;
}

interface SignedInProps {
  readonly credentials: Credentials;
  readonly signOut: (why?: string) => void;
}

function SignedIn({ credentials, signOut }: SignedInProps): JSX.Element {
  const [session] = useState<Session>(() => openSession(credentials, () => signOut()));
  useEffect(() => {
    session.feed.start();
    return () => session.feed.stop();
  }, [session]);
  const { phase } = useValue(session.feed.connection);
  useEffect(() => {
    if (phase === 'refused') signOut('The server does not know this token, or it has expired or been revoked.');
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
    case 'unknown':
      return (
        <Empty title="There is no such page">
          <a href="#/">All broadcasts</a>
        </Empty>
      );
  }
}

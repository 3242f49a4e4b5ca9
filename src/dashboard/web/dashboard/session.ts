/** Who is signed in: the token lives in this tab's session storage, and ends with the tab. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { FeedConnection } from '../shared/feed-connection.js';
import { Api } from './api.js';

const KEY = 'airlock.token';

export interface Session {
  readonly token: string;
  readonly api: Api;
  /** All broadcasts of the token's owners. */
  readonly feed: FeedConnection;
  signOut(): void;
}

export function storedToken(): string | undefined {
  return window.sessionStorage.getItem(KEY) ?? undefined;
}

export function keepToken(token: string | undefined): void {
  if (token === undefined) window.sessionStorage.removeItem(KEY);
  else window.sessionStorage.setItem(KEY, token);
}

export function openSession(token: string, signOut: () => void): Session {
  return { token, api: new Api(token), feed: new FeedConnection({ token }), signOut };
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('this component needs a session around it');
  return session;
}

/** The signed-in session. Token and app secret proof are kept in session storage, which ends with the tab. */
import { createContext, useContext } from 'react';
import { FeedConnection } from '../shared/feed-connection.js';
import { Api, type Credentials } from './api.js';
import { StillReader } from './still-reader.js';

const TOKEN = 'airlock.token';
const PROOF = 'airlock.proof';

export interface Session {
  readonly token: string;
  readonly api: Api;
  /** Subscribed to all broadcasts of the token's owners. */
  readonly feed: FeedConnection;
  readonly stills: StillReader;
  signOut(): void;
}

export function storedCredentials(): Credentials | undefined {
  const token = window.sessionStorage.getItem(TOKEN);
  const proof = window.sessionStorage.getItem(PROOF);
  return token === null ? undefined : { token, ...(proof === null ? {} : { proof }) };
}

export function storeCredentials(credentials: Credentials | undefined): void {
  for (const [key, value] of [
    [TOKEN, credentials?.token],
    [PROOF, credentials?.proof],
  ] as const) {
    if (value === undefined) window.sessionStorage.removeItem(key);
    else window.sessionStorage.setItem(key, value);
  }
}

export function openSession(credentials: Credentials, signOut: () => void): Session {
  const { token } = credentials;
  const api = new Api(credentials);
  return { token, api, feed: new FeedConnection({ token }), stills: new StillReader(api), signOut };
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession needs a SessionContext');
  return session;
}

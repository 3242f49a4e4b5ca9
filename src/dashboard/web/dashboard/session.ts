/** Who is signed in: the token, and its proof where one is wanted, live in this tab's session storage, and end with the tab. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { FeedConnection } from '../shared/feed-connection.js';
import { Api, type Credentials } from './api.js';

const TOKEN = 'airlock.token';
const PROOF = 'airlock.proof';

export interface Session {
  readonly token: string;
  readonly api: Api;
  /** All broadcasts of the token's owners. */
  readonly feed: FeedConnection;
  signOut(): void;
}

export function storedCredentials(): Credentials | undefined {
  const token = window.sessionStorage.getItem(TOKEN);
  const proof = window.sessionStorage.getItem(PROOF);
  return token === null ? undefined : { token, ...(proof === null ? {} : { proof }) };
}

export function keepCredentials(given: Credentials | undefined): void {
  for (const [key, value] of [
    [TOKEN, given?.token],
    [PROOF, given?.proof],
  ] as const) {
    if (value === undefined) window.sessionStorage.removeItem(key);
    else window.sessionStorage.setItem(key, value);
  }
}

export function openSession(given: Credentials, signOut: () => void): Session {
  const { token } = given;
  return { token, api: new Api(given), feed: new FeedConnection({ token }), signOut };
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('this component needs a session around it');
  return session;
}

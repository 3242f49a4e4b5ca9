/** The signed-in session. Token and app secret proof are kept in session storage, which ends with the tab. */
import { createContext, useContext, useEffect } from 'react';
import { FeedConnection } from '../../shared/feed-connection.js';
import { Api, ApiError, type Credentials } from './api.js';
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

/** Follows the feed for as long as the page that opened the session is shown. */
export function useStarted({ feed, stills }: Session): void {
  useEffect(() => {
    feed.start();
    return () => {
      feed.stop();
      stills.close();
    };
  }, [feed, stills]);
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession needs a SessionContext');
  return session;
}

const SIGN_IN = /^#\/sign-in\/([\w-]{20,100})$/;

/** Reads the code of a one-time link. It is taken out of the address, and so out of the history of the browser. */
export function takeSignInCode(): string | undefined {
  const code = SIGN_IN.exec(window.location.hash)?.[1];
  if (code !== undefined) window.history.replaceState(null, '', '#/');
  return code;
}

/** @throws ApiError */
export async function exchangeCode(code: string): Promise<Credentials> {
  const answer = await fetch('/dashboard/data/sign-in', {
    method: 'POST',
    headers: { Authorization: `SignIn ${code}` },
    cache: 'no-store',
  }).catch(() => undefined);
  if (answer === undefined) throw new ApiError('The server cannot be reached.', { status: 0, transient: true });
  if (answer.ok) return (await answer.json()) as Credentials;
  const message =
    'This sign-in link was already used, or has expired. For a new one, run `npx airlock sign-in` on the server.';
  throw new ApiError(message, { status: answer.status, transient: false });
}

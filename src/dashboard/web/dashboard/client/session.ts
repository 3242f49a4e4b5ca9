/** The session of this browser. Its cookie is out of reach of the page: requests below `/dashboard/` carry it by themselves. */
import { createContext, useContext, useEffect } from 'react';
import { SESSION_PATH } from '../../../view/protocol.js';
import { FeedConnection } from '../../shared/feed-connection.js';
import { Api, ApiError, callSession } from './api.js';
import { StillReader } from './still-reader.js';

export interface Session {
  readonly api: Api;
  /** Subscribed to all broadcasts of the token's owners. */
  readonly feed: FeedConnection;
  readonly stills: StillReader;
  /** A subscription to these broadcasts alone. */
  follow(broadcasts: readonly string[]): FeedConnection;
}

/** `token`: that of a link, which stands in the address. Absent: the session of the browser. */
export function openSession(token?: string): Session {
  const api = new Api(token);
  const credential = token === undefined ? {} : { token };
  return {
    api,
    feed: new FeedConnection(credential),
    stills: new StillReader(api),
    follow: (broadcasts) => new FeedConnection({ ...credential, broadcasts }),
  };
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

/** Who is signed in; `null`: no one is. */
export interface SignedIn {
  readonly session: { readonly owner_id: string; readonly expires: string } | null;
}

/** Asking renews the session. @throws ApiError */
export const readSession = (): Promise<SignedIn> => callSession(SESSION_PATH);

/** Asked again this often: a page that is open stays signed in. */
export const SESSION_EVERY_MS = 20 * 60_000;

export const SESSION_QUERY = ['session'] as const;

/** @throws ApiError: with the status 403 if the server requires another app secret proof */
export function signInByToken(token: string, proof: string | undefined): Promise<SignedIn> {
  const query = proof === undefined ? '' : `?appsecret_proof=${encodeURIComponent(proof)}`;
  return callSession(`${SESSION_PATH}${query}`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
}

/** @throws ApiError */
export async function signOut(everywhere: boolean): Promise<void> {
  await callSession(`${SESSION_PATH}?everywhere=${everywhere}`, { method: 'DELETE' });
}

const SIGN_IN = /^#\/sign-in\/([\w-]{20,100})$/;

/** Reads the code of a one-time link. It is taken out of the address, and so out of the history of the browser. */
export function takeSignInCode(): string | undefined {
  const code = SIGN_IN.exec(window.location.hash)?.[1];
  if (code !== undefined) window.history.replaceState(null, '', '#/');
  return code;
}

/** Longer than the server takes to answer the same link in another tab, whose cookie then counts here, too. */
const OTHER_TAB_MS = 1_000;

/** @throws ApiError */
export async function signInByCode(code: string): Promise<SignedIn> {
  const exchange = (): Promise<SignedIn> =>
    callSession(SESSION_PATH, { method: 'POST', headers: { Authorization: `SignIn ${code}` } });
  try {
    return await exchange().catch(async (error: unknown) => {
      if (!isUsed(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, OTHER_TAB_MS));
      return exchange();
    });
  } catch (error) {
    if (!isUsed(error)) throw error;
    const message =
      'This sign-in link was already used, or has expired. For a new one, run `npx airlock sign-in` on the server.';
    throw new ApiError(message, { status: 401, transient: false });
  }
}

const isUsed = (error: unknown): boolean => error instanceof ApiError && error.fault.status === 401;

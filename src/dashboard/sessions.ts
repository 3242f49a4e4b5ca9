/**
 * The session of a browser: signing in and out, and `/dashboard/api/*`, where the cookie of the session stands for its token. The
 * cookie is read below `/dashboard/` alone, never on the interface itself. Each request needs a header that only our own pages can
 * send, and what changes something the origin of our own pages too: the cookie of a host is sent for pages of its other ports.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { defined } from '../lib/objects.js';
import {
  type Clock,
  type Log,
  type OpenSession,
  type RefusalLog,
  type SignedIn,
  StoreUnavailableError,
} from '../ports/index.js';
import { type Answer, paramsOf, refused, send } from './answer.js';
import { SESSION_API_PATH, SESSION_HEADER } from './view/protocol.js';
import type { AddressOf, Authenticate, FeedViewer } from './view/viewer.js';

/** The sessions in the store. */
export interface SessionStore {
  begin(start: SignedIn & { readonly code?: string; readonly from: string }): Promise<OpenSession>;
  /** `undefined`: there is no such session, or it has ended or expired. */
  find(cookie: string): Promise<OpenSession | undefined>;
  /** The session, if the sign-in link with this code began it. */
  ofCode(cookie: string, code: string): Promise<OpenSession | undefined>;
  /** Resolves with the new expiry; `undefined`: it has not moved. */
  renew(cookie: string): Promise<number | undefined>;
  end(cookie: string, from: string): Promise<void>;
  /** Ends all sessions of the owner. */
  endAll(session: OpenSession, from: string): Promise<number>;
}

/** Signs in with the code of a one-time link: `undefined` if it is unknown, expired or was used. */
export type SignIn = (code: string, from: string) => Promise<SignedIn | undefined>;

/** `proof`: the app secret proof is missing or wrong. */
export type Identify = (
  token: string,
  proof: string | undefined,
  from: string,
) => Promise<Omit<SignedIn, 'token' | 'proof'> | 'refused' | 'proof'>;

export interface SessionsDeps {
  readonly sessions: SessionStore;
  readonly signIn: SignIn;
  readonly identify: Identify;
  readonly authenticate: Authenticate;
  readonly addressOf: AddressOf;
  /** Scheme and host that the client used, as declared proxies forward them. */
  readonly originOf: (request: IncomingMessage) => { readonly protocol: string; readonly host: string };
  /** The public URL of the server: a proxy that is not declared may hide it from the requests. */
  readonly publicUrl: string;
  readonly refusals: RefusalLog;
  readonly clock: Clock;
  readonly log: Log;
}

const COOKIE = 'airlock-session';
const DATA = '/data/';
/** Paths that the interface answers to a token: objects, calls without an object, links to players. No page and no file. */
const INTERFACE =
  /^\/(?:[?]|$|v\d+[.]\d+(?:[/?]|$)|\d|me(?:[/?]|$)|(?:debug_token|oauth\/access_token|video_encoder_settings|metrics)(?:[?]|$)|playback\/\d{1,20}(?:[?]|$))/;

/** `again`: serves the request anew, with the path and the headers that it was given. */
export type MountedListener = (request: IncomingMessage, response: ServerResponse, again: RequestListener) => void;

export interface DashboardSessions {
  /** Signs in, tells who is signed in, and signs out. */
  readonly session: MountedListener;
  readonly api: MountedListener;
  /** Who is behind the cookie of a socket's request. `undefined`: a page of another origin opened the socket. */
  authenticatorOf(request: IncomingMessage): Authenticate | undefined;
}

export function createSessions(deps: SessionsDeps): DashboardSessions {
  const handler =
    (answer: (...asked: Parameters<MountedListener>) => Promise<Answer | undefined>): MountedListener =>
    (request, response, again) => {
      void answer(request, response, again).then(
        (made) => {
          if (made === undefined) return;
          // Unread bytes of a body would block the connection's next request.
          request.resume();
          send(response, made);
        },
        (error: unknown) => {
          request.resume();
          if (error instanceof StoreUnavailableError)
            return send(response, refused(503, 'The store is unavailable. Try again later.'));
          deps.log.error({ error }, 'a request of a session failed');
          return send(response, refused(500, 'Internal server error.'));
        },
      );
    };
  return {
    session: handler((request, response) => answerSession(deps, request, response)),
    api: handler((request, response, again) => passOn(deps, request, response, again)),
    authenticatorOf: (request) => {
      if (!isFromOwnPage(deps, request)) return undefined;
      return async (_token, from) => (await signedIn(deps, request, from))?.viewer;
    },
  };
}

// ---------------------------------------------------------------- the session

async function answerSession(deps: SessionsDeps, request: IncomingMessage, response: ServerResponse): Promise<Answer> {
  const stranger = refuseStranger(deps, request);
  if (stranger !== undefined) return stranger;
  const from = deps.addressOf(request);
  switch (request.method) {
    case 'GET': {
      const found = await signedIn(deps, request, from);
      if (found === undefined) return { status: 200, body: { session: null } };
      return { status: 200, body: stateOf(found.session, await renew(deps, request, response, found.session)) };
    }
    case 'POST':
      return begin(deps, request, response, from);
    case 'DELETE': {
      const found = await sessionOf(deps, request);
      const isEverywhere = paramsOf(request.url ?? '').get('everywhere') === 'true';
      if (found !== undefined && isEverywhere) await deps.sessions.endAll(found, from);
      else if (found !== undefined) await deps.sessions.end(found.cookie, from);
      setCookie(deps, request, response, '', 0);
      return { status: 200, body: { session: null } };
    }
    default:
      return refused(405, `Method ${request.method} is not allowed here.`);
  }
}

const stateOf = ({ ownerId, expiresMs }: OpenSession, renewedMs = expiresMs) => ({
  session: { owner_id: ownerId, expires: new Date(renewedMs).toISOString() },
});

/** With a token, or with the code of a one-time link. POST, so that nothing that opens links in advance uses up a code. */
async function begin(
  deps: SessionsDeps,
  request: IncomingMessage,
  response: ServerResponse,
  from: string,
): Promise<Answer> {
  const held = cookieOf(deps, request);
  const { authorization = '' } = request.headers;
  const code = /^SignIn ([\w-]{20,100})$/.exec(authorization)?.[1];
  if (code !== undefined && held !== undefined) {
    const opened = await deps.sessions.ofCode(held, code);
    if (opened !== undefined) {
      return { status: 200, body: stateOf(opened, await renew(deps, request, response, opened)) };
    }
  }
  const start = code === undefined ? await byToken(deps, request, from) : await deps.signIn(code, from);
  if (start === undefined) return refused(401, 'This sign-in link was already used, or has expired.');
  if ('status' in start) return start;
  // A session is never taken over by the next sign-in: what knows its cookie knows nothing of the new one.
  if (held !== undefined) await deps.sessions.end(held, from);
  const begun = await deps.sessions.begin({ ...start, ...defined({ code }), from });
  setCookie(deps, request, response, begun.cookie, begun.expiresMs);
  return { status: 201, body: stateOf(begun) };
}

async function byToken(deps: SessionsDeps, request: IncomingMessage, from: string): Promise<SignedIn | Answer> {
  const token = /^Bearer (\S{1,4096})$/.exec(request.headers.authorization ?? '')?.[1];
  const proof = paramsOf(request.url ?? '').get('appsecret_proof') ?? undefined;
  const identity = token === undefined ? 'refused' : await deps.identify(token, proof, from);
  if (token === undefined || identity === 'refused')
    return refused(401, 'The token is missing, unknown, expired or revoked.');
  if (identity === 'proof') return refused(403, 'The server requires the appsecret_proof of the token.');
  return { token, ...defined({ proof }), ...identity };
}

// ---------------------------------------------------------------- the interface

async function passOn(
  deps: SessionsDeps,
  request: IncomingMessage,
  response: ServerResponse,
  again: RequestListener,
): Promise<Answer | undefined> {
  const stranger = refuseStranger(deps, request);
  if (stranger !== undefined) return stranger;
  const from = deps.addressOf(request);
  const inner = wholeUrl(request).slice(SESSION_API_PATH.length) || '/';
  const isData = inner.startsWith(DATA);
  if (!isData && !INTERFACE.test(inner)) return refused(404, 'Not found.');
  const cookie = cookieOf(deps, request);
  const session = cookie === undefined ? undefined : await deps.sessions.find(cookie);
  if (session === undefined) {
    if (cookie !== undefined) {
      deps.refusals.add({ action: 'sign-in refused: unknown, ended or expired session', from });
      setCookie(deps, request, response, '', 0);
    }
    return refused(401, 'The session has ended. Sign in again.');
  }
  await renew(deps, request, response, session);
  const { headers } = request;
  headers.authorization = `Bearer ${session.token}`;
  delete headers.cookie;
  const url = isData ? `/dashboard${inner}` : withProof(inner, session.proof);
  // A router has left its marks: the next one begins anew.
  Object.assign(request, { url, originalUrl: url, baseUrl: '' });
  again(request, response);
  return undefined;
}

function withProof(url: string, proof: string | undefined): string {
  if (proof === undefined) return url;
  return `${url}${url.includes('?') ? '&' : '?'}appsecret_proof=${encodeURIComponent(proof)}`;
}

/** A router strips the mount path from `url` and keeps `originalUrl`. */
const wholeUrl = (request: IncomingMessage & { readonly originalUrl?: string }): string =>
  request.originalUrl ?? request.url ?? '/';

// ---------------------------------------------------------------- cookies and origins

/** The session of the request's cookie, while its token is valid. */
async function signedIn(
  deps: SessionsDeps,
  request: IncomingMessage,
  from: string,
): Promise<{ readonly session: OpenSession; readonly viewer: FeedViewer } | undefined> {
  const session = await sessionOf(deps, request);
  const viewer = session === undefined ? undefined : await deps.authenticate(session.token, from);
  return session === undefined || viewer === undefined ? undefined : { session, viewer };
}

async function sessionOf(deps: SessionsDeps, request: IncomingMessage): Promise<OpenSession | undefined> {
  const cookie = cookieOf(deps, request);
  return cookie === undefined ? undefined : deps.sessions.find(cookie);
}

/** Returns the new expiry, if it has moved. */
async function renew(
  deps: SessionsDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { cookie }: OpenSession,
): Promise<number | undefined> {
  const expiresMs = await deps.sessions.renew(cookie);
  if (expiresMs !== undefined) setCookie(deps, request, response, cookie, expiresMs);
  return expiresMs;
}

/** Cookies are shared by all ports of a host: the name holds the port, so that two servers on it keep apart. */
function cookieName(deps: SessionsDeps, request: IncomingMessage, isSecure: boolean): string {
  const { protocol, host } = deps.originOf(request);
  const port = /:(\d{1,5})$/.exec(host)?.[1] ?? (protocol === 'https' ? '443' : '80');
  return `${isSecure ? '__Secure-' : ''}${COOKIE}-${port}`;
}

function cookieOf(deps: SessionsDeps, request: IncomingMessage): string | undefined {
  const { cookie } = request.headers;
  if (cookie === undefined) return undefined;
  const named = (name: string) => new RegExp(`(?:^|; ?)${name}=([\\w-]{43})(?:;|$)`).exec(cookie)?.[1];
  return named(cookieName(deps, request, true)) ?? named(cookieName(deps, request, false));
}

/** A browser sends its cookies and the origin of its page: over TLS that ends at a proxy, too, the latter has the scheme. */
function isSecure(deps: SessionsDeps, request: IncomingMessage): boolean {
  const { origin = '', cookie = '' } = request.headers;
  if (deps.originOf(request).protocol === 'https' || origin.startsWith('https:')) return true;
  return cookie.includes(cookieName(deps, request, true));
}

function setCookie(
  deps: SessionsDeps,
  request: IncomingMessage,
  response: ServerResponse,
  value: string,
  untilMs: number,
): void {
  const secure = isSecure(deps, request);
  const leftS = Math.max(0, Math.floor((untilMs - deps.clock.wallMs()) / 1000));
  const parts = [
    `${cookieName(deps, request, secure)}=${value}`,
    'Path=/dashboard/',
    `Max-Age=${leftS}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(secure ? ['Secure'] : []),
  ];
  response.setHeader('Set-Cookie', parts.join('; '));
}

/** Refuses what a page of another origin could have sent. */
function refuseStranger(deps: SessionsDeps, request: IncomingMessage): Answer | undefined {
  const { method, headers } = request;
  const changes = method !== 'GET' && method !== 'HEAD';
  const hasHeader = headers[SESSION_HEADER.toLowerCase()] === '1';
  if (hasHeader && (headers.origin === undefined ? !changes : isFromOwnPage(deps, request))) return undefined;
  deps.refusals.add({ action: 'sign-in refused: session from another origin', from: deps.addressOf(request) });
  return refused(
    403,
    'Only the pages of this server may use a session. Programs send an access token to the interface.',
  );
}

function isFromOwnPage(deps: SessionsDeps, request: IncomingMessage): boolean {
  const { origin } = request.headers;
  if (origin === undefined || !URL.canParse(origin)) return false;
  const page = new URL(origin);
  if (page.origin === new URL(deps.publicUrl).origin) return true;
  const { protocol, host } = deps.originOf(request);
  // Plain HTTP may be the last part of the way, behind a proxy.
  const isSameScheme = page.protocol === `${protocol}:` || (protocol === 'http' && page.protocol === 'https:');
  return isSameScheme && page.host === new URL(`${page.protocol}//${HOST.test(host) ? host : 'invalid'}`).host;
}

const HOST = /^[\w.-]+(?::\d{1,5})?$|^\[[\da-fA-F:.]+\](?::\d{1,5})?$/;

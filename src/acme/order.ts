/** Orders a certificate from an ACME authority (RFC 8555) with HTTP-01 challenges. The library is loaded for the order. */
import type { RequestListener } from 'node:http';
import { messageOf } from '../lib/errors.js';
import { defined, isRecord } from '../lib/objects.js';
import { withTimeout } from '../lib/timeout.js';
import { VOLATILE, type VolatileStore } from '../ports/index.js';
import { ACME_LIMITS } from './limits.js';

const PROBLEM_PREFIX = 'urn:ietf:params:acme:error:';

/** Why no certificate was issued. */
export class AcmeError extends Error {
  override readonly name = 'AcmeError';
  readonly code = 'ACME';
  /** The type of the problem without its prefix (RFC 8555 6.7), or `unreachable`. */
  readonly problem: string;
  /** The authority asks for a pause of at least this long. */
  readonly retryAfterMs: number;

  constructor(problem: string, detail: string, retryAfterMs = 0) {
    super(detail.slice(0, ACME_LIMITS.detailCharacters));
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The problem in an answer of the authority: of the answer itself, of an order, or of a challenge. */
export function problemIn(answer: unknown): { readonly problem: string; readonly detail: string } | undefined {
  if (!isRecord(answer)) return undefined;
  const { type, detail, error, challenges } = answer;
  if (typeof type === 'string' && type.startsWith(PROBLEM_PREFIX))
    return { problem: type.slice(PROBLEM_PREFIX.length), detail: typeof detail === 'string' ? detail : '' };
  if (Array.isArray(challenges)) {
    for (const challenge of challenges) {
      const found = problemIn(challenge);
      if (found !== undefined) return found;
    }
  }
  return error === undefined ? undefined : problemIn(error);
}

export interface OrderOptions {
  readonly directory: string;
  readonly domains: readonly string[];
  readonly email?: string | undefined;
  readonly accountKey: string;
  /** Absent: the account is created. */
  readonly accountUrl?: string | undefined;
  /** From here on requests for the token are answered with this text. */
  readonly publish: (token: string, keyAuthorization: string) => Promise<void>;
}

export interface Issued {
  /** PEM chain, leaf first. */
  readonly certificate: string;
  readonly key: string;
  readonly accountUrl: string;
}

type Library = typeof import('acme-client');

/** RSA 2048 for certificates: the only keys that all encoders accept. */
export async function createAccountKey(): Promise<string> {
  const { crypto } = await load();
  return (await crypto.createPrivateEcdsaKey()).toString();
}

type OrderLimits = Readonly<Record<'answerMs' | 'answerBytes' | 'orderMs', number>>;

/** @throws AcmeError */
export async function orderCertificate(options: OrderOptions, limits: OrderLimits = ACME_LIMITS): Promise<Issued> {
  const acme = await load(limits);
  const seen: Seen = { retryAfterMs: 0 };
  const bound = acme.axios.interceptors.request.use((request) => {
    // The timeout of the library ends with the headers.
    request.signal = AbortSignal.timeout(limits.answerMs);
    return request;
  });
  const watch = acme.axios.interceptors.response.use((answer) => {
    noteProblem(seen, answer);
    return answer;
  });
  const late = new Promise<never>((_resolve, reject) => {
    seen.giveUp = () => reject(new AcmeError('unreachable', 'the authority did not finish the order in time'));
  });
  late.catch(() => undefined);
  try {
    await requireDirectory(acme, options.directory);
    const ordered = Promise.race([order(acme, options), late]);
    await withTimeout(
      ordered.then(
        () => undefined,
        () => undefined,
      ),
      limits.orderMs,
      () => seen.giveUp?.(),
    );
    return await ordered;
  } catch (error) {
    if (error instanceof AcmeError) throw error;
    const { problem = 'unreachable', detail = messageOf(error) } = seen;
    throw new AcmeError(problem, detail, seen.retryAfterMs);
  } finally {
    acme.axios.interceptors.request.eject(bound);
    acme.axios.interceptors.response.eject(watch);
  }
}

interface Seen {
  problem?: string;
  detail?: string;
  retryAfterMs: number;
  giveUp?: () => void;
}

async function order(acme: Library, options: OrderOptions): Promise<Issued> {
  const { directory, domains, email, accountKey, accountUrl, publish } = options;
  const [commonName] = domains;
  const [key, csr] = await acme.crypto.createCsr(
    { altNames: [...domains], ...defined({ commonName }) },
    await acme.crypto.createPrivateRsaKey(2048),
  );
  const client = new acme.Client({
    directoryUrl: directory,
    accountKey,
    ...defined({ accountUrl }),
  });
  const certificate = await client.auto({
    csr,
    ...defined({ email }),
    termsOfServiceAgreed: true,
    challengePriority: ['http-01'],
    // The check would come from this machine, which may not reach its own public address.
    skipChallengeVerification: true,
    challengeCreateFn: (_authorization, { token }, keyAuthorization) => publish(token, keyAuthorization),
    challengeRemoveFn: async () => undefined,
  });
  return { certificate, key: key.toString(), accountUrl: client.getAccountUrl() };
}

/** The first problem is the cause of those that follow it. A bad nonce is not one: the library repeats the request. */
function noteProblem(
  seen: Seen,
  answer: { readonly data: unknown; readonly headers: { readonly [name: string]: unknown } } | undefined,
): void {
  const found = problemIn(answer?.data);
  if (answer === undefined || found === undefined || found.problem === 'badNonce') return;
  seen.problem ??= found.problem;
  seen.detail ??= found.detail;
  const seconds = Number(answer.headers['retry-after'] ?? 0);
  if (Number.isFinite(seconds)) seen.retryAfterMs = Math.max(seen.retryAfterMs, seconds * 1_000);
}

/** Asked first, so that an address without an authority is told as such and costs no account. @throws AcmeError */
async function requireDirectory({ axios }: Library, url: string): Promise<void> {
  const { status, data } = await axios.get<unknown>(url).catch((error: unknown) => {
    throw new AcmeError('unreachable', messageOf(error));
  });
  if (status !== 200 || !isRecord(data) || typeof data.newOrder !== 'string')
    throw new AcmeError('unreachable', `${url} is no ACME directory (status ${status})`);
}

async function load({ answerMs, answerBytes }: OrderLimits = ACME_LIMITS): Promise<Library> {
  const acme = await import('acme-client');
  // Pauses are ours: an authority that limits may ask for hours.
  Object.assign(acme.axios.defaults, { timeout: answerMs, maxContentLength: answerBytes });
  Object.assign(acme.axios.defaults, { acmeSettings: { ...settingsOf(acme), retryMaxAttempts: 0 } });
  return acme;
}

function settingsOf({ axios }: Library): object {
  return Object(Reflect.get(axios.defaults, 'acmeSettings'));
}

const CHALLENGE_PATH = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{16,256})$/;

/** Answers the requests of the authority on the port for HTTP-01 (RFC 8555 8.3). Any server that shares the store can. */
export function answerChallenges(volatile: VolatileStore): RequestListener {
  return (request, response) => {
    const token = CHALLENGE_PATH.exec(request.url ?? '')?.[1];
    const send = (status: number, text: string): void => {
      response.writeHead(status, { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff' }).end(text);
    };
    if (request.method !== 'GET' || token === undefined) return send(404, 'not found\n');
    volatile.get(VOLATILE.acmeChallenge(token)).then(
      (text) => (typeof text === 'string' ? send(200, text) : send(404, 'not found\n')),
      () => send(503, 'unavailable\n'),
    );
  };
}

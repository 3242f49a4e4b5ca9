/**
 * Downloads `file_url` from the public internet and from networks that the operator named. Names are resolved once, every
 * resulting address must be allowed, and the connection goes to exactly those; each redirect is checked like the first address.
 * Only http and https, no credentials, bounded in size and time. The response is used only as bytes for the probe.
 */
import type { LookupAddress } from 'node:dns';
import { lookup as dnsLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { callHttp, type HttpAnswer, HttpCallError } from '../../lib/http-call.js';
import { isForeignPublicAddress } from '../../lib/public-addresses.js';
import type { ReceivedFile } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import { notFetched, tooLarge } from './faults.js';
import { UPLOADS } from './limits.js';

export interface FetchDeps {
  /** Resolves a name to all its addresses. */
  readonly resolve?: (hostName: string) => Promise<readonly LookupAddress[]>;
  /** Allowed beside public addresses; `usual` are the ports where a network names none. */
  readonly networks?: { allows(address: string, port: number, usual: ReadonlySet<number>): boolean };
  /** Stores the bytes. */
  readonly receive: (source: AsyncIterable<Uint8Array>, fileName: string, maxBytes: number) => Promise<ReceivedFile>;
}

/** Ports of http, https and their usual alternatives: no other service can be reached or scanned through this server. */
const PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** @throws ServiceError */
export async function fetchFile(deps: FetchDeps, address: string): Promise<ReceivedFile> {
  const signal = AbortSignal.timeout(UPLOADS.fetchMs);
  try {
    let url = checkedUrl(address, deps);
    for (let hops = 0; ; hops++) {
      const answer = await callHttp(url, {
        headers: { accept: '*/*', 'accept-encoding': 'identity' },
        headersMs: UPLOADS.fetchHeadersMs,
        stallMs: UPLOADS.fetchStallMs,
        signal,
        resolve: checkedResolve(deps, url),
      });
      try {
        const next = REDIRECTS.has(answer.status) ? answer.headers.location : undefined;
        if (next === undefined) return await keep(deps, url, answer);
        if (hops >= UPLOADS.redirects) throw notFetched('too many redirects.');
        url = checkedUrl(next, deps, url.href);
      } finally {
        answer.close();
      }
    }
  } catch (error) {
    throw asFault(error, signal);
  }
}

async function keep(deps: FetchDeps, url: URL, answer: HttpAnswer): Promise<ReceivedFile> {
  if (answer.status !== 200) throw notFetched(`the server answered with status ${answer.status}.`);
  if (Number(answer.headers['content-length'] ?? 0) > UPLOADS.fileBytesMax) throw tooLarge(UPLOADS.fileBytesMax);
  const fileName = decodeName(url.pathname.split('/').at(-1) ?? '');
  return deps.receive(faultsAsOurs(answer.body), fileName, UPLOADS.fileBytesMax);
}

/** Attributes an aborted connection to the remote server, not to the client of the upload. */
async function* faultsAsOurs(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw notFetched('the server closed the connection or was too slow.', error);
  }
}

function checkedUrl(address: string, deps: FetchDeps, base?: string): URL {
  const url = address.length <= UPLOADS.urlLength && URL.canParse(address, base) ? new URL(address, base) : undefined;
  if (url === undefined) throw notFetched('file_url is not a valid URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw notFetched('file_url must be http or https.');
  if (url.username !== '' || url.password !== '') throw notFetched('file_url must not carry credentials.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowed(deps, host, portOf(url))) throw forbidden(host, portOf(url));
  return url;
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port);
}

function isAllowed({ networks }: FetchDeps, address: string, port: number): boolean {
  return (PORTS.has(port) && isForeignPublicAddress(address)) || networks?.allows(address, port, PORTS) === true;
}

/** One answer, so that a client cannot tell a forbidden address or port from one without a server. */
const unreachable = (cause: unknown, audit?: string): ServiceError =>
  notFetched('the server cannot be reached.', cause, audit);

/** The reason stands in the log and the audit log, for the operator. */
function forbidden(address: string, port: number): ServiceError {
  const target = isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
  const why = PORTS.has(port) || !isForeignPublicAddress(address) ? 'no public address' : 'no usual port';
  return unreachable('refused', `file_url refused: ${target} is ${why}, and not in AIRLOCK_FETCH_NETWORKS`);
}

/** Replaces the system lookup: the socket connects to its result, so DNS rebinding between check and use is impossible. */
function checkedResolve(deps: FetchDeps, url: URL) {
  const resolve = deps.resolve ?? ((name: string) => dnsLookup(name, { all: true, verbatim: true }));
  return async (hostName: string): Promise<readonly LookupAddress[]> => {
    const addresses = await resolve(hostName);
    // A single private address is enough to refuse: such a name is meant to reach internal hosts.
    const refused = addresses.find(({ address }) => !isAllowed(deps, address, portOf(url)));
    if (refused !== undefined) throw forbidden(refused.address, portOf(url));
    return addresses;
  };
}

function asFault(error: unknown, signal: AbortSignal): ServiceError {
  if (error instanceof ServiceError) return error;
  // A refused name comes out of the connection that looked it up.
  if (error instanceof HttpCallError && error.cause instanceof ServiceError) return error.cause;
  if (signal.aborted) return notFetched(`time limit of ${UPLOADS.fetchMs / 1000} s exceeded.`, error);
  return unreachable(error);
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text).slice(0, 255);
  } catch {
    return text.slice(0, 255);
  }
}

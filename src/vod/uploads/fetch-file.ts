/**
 * Downloads `file_url` from the public internet. Names are resolved once, every resulting address must be public, and the
 * connection goes to exactly those; each redirect is checked like the first address. Only http and https on their usual ports, no credentials,
 * bounded in size and time. The response is used only as bytes for the probe.
 */
import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as dnsLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, type Dispatcher, request } from 'undici';
import type { ReceivedFile } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import { notFetched, tooLarge } from './faults.js';
import { UPLOADS } from './limits.js';
import { isForeignPublicAddress } from './public-addresses.js';

export interface FetchDeps {
  /** Resolves a name to all its addresses. */
  readonly resolve?: (hostName: string) => Promise<readonly LookupAddress[]>;
  readonly isAllowed?: (address: string) => boolean;
  readonly isPortAllowed?: (port: number) => boolean;
  /** Stores the bytes. */
  readonly receive: (source: AsyncIterable<Uint8Array>, fileName: string, maxBytes: number) => Promise<ReceivedFile>;
}

/** Of http, https and their usual alternatives: no other service can be reached or scanned through this server. */
const PORTS = new Set([80, 443, 8080, 8443]);

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** @throws ServiceError */
export async function fetchFile(deps: FetchDeps, address: string): Promise<ReceivedFile> {
  const signal = AbortSignal.timeout(UPLOADS.fetchMs);
  const agent = new Agent({
    connect: { lookup: guardedLookup(deps), timeout: UPLOADS.fetchHeadersMs },
    headersTimeout: UPLOADS.fetchHeadersMs,
    bodyTimeout: UPLOADS.fetchIdleMs,
    maxHeaderSize: 16_384,
  });
  try {
    let url = checkedUrl(address, deps);
    for (let hops = 0; ; hops++) {
      const response = await request(url, {
        dispatcher: agent,
        signal,
        headers: { accept: '*/*', 'accept-encoding': 'identity' },
      });
      // A discarded or aborted body emits `error`; a reader of the body gets the error from its read.
      response.body.on('error', () => undefined);
      const next = REDIRECTS.has(response.statusCode) ? response.headers.location : undefined;
      if (next === undefined) return await keep(deps, url, response);
      response.body.destroy();
      if (hops >= UPLOADS.redirects) throw notFetched('too many redirects.');
      url = checkedUrl(new URL(String(next), url).href, deps);
    }
  } catch (error) {
    throw asFault(error, signal);
  } finally {
    await agent.destroy();
  }
}

async function keep(deps: FetchDeps, url: URL, response: Dispatcher.ResponseData): Promise<ReceivedFile> {
  if (response.statusCode !== 200) {
    response.body.destroy();
    throw notFetched(`the server answered with status ${response.statusCode}.`);
  }
  const length = Number(response.headers['content-length'] ?? 0);
  if (length > UPLOADS.fileBytesMax) {
    response.body.destroy();
    throw tooLarge(UPLOADS.fileBytesMax);
  }
  const fileName = decodeName(url.pathname.split('/').at(-1) ?? '');
  const file = await deps.receive(faultsAsOurs(response.body), fileName, UPLOADS.fileBytesMax);
  if (length === 0 || length === file.size) return file;
  await file.discard();
  throw notFetched(`only ${file.size} of ${length} bytes were received.`);
}

/** Attributes an aborted connection to the remote server, not to the client of the upload. */
async function* faultsAsOurs(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw notFetched('the server closed the connection or was too slow.', error);
  }
}

function checkedUrl(address: string, deps: FetchDeps): URL {
  const url = address.length <= UPLOADS.urlLength && URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw notFetched('file_url is not a valid URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw notFetched('file_url must be http or https.');
  if (url.username !== '' || url.password !== '') throw notFetched('file_url must not carry credentials.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !(deps.isAllowed ?? isForeignPublicAddress)(host)) throw unreachable();
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port);
  if (!(deps.isPortAllowed ?? ((each: number) => PORTS.has(each)))(port)) throw unreachable();
  return url;
}

/** One answer, so that a client cannot tell a forbidden address from one without a server. */
const unreachable = (cause: unknown = 'refused'): ServiceError => notFetched('the server cannot be reached.', cause);

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** Replaces the system lookup: the socket connects to its result, so DNS rebinding between check and use is impossible. */
function guardedLookup(deps: FetchDeps) {
  const resolve = deps.resolve ?? ((name: string) => dnsLookup(name, { all: true, verbatim: true }));
  const isAllowed = deps.isAllowed ?? isForeignPublicAddress;
  return (hostName: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(hostName).then(
      (addresses) => {
        const [first] = addresses;
        // A single private address is enough to refuse: such a name is meant to reach internal hosts.
        if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) callback(unreachable(), '');
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

function asFault(error: unknown, signal: AbortSignal): ServiceError {
  const known = serviceErrorIn(error);
  if (known !== undefined) return known;
  if (signal.aborted) return notFetched(`time limit of ${UPLOADS.fetchMs / 1000} s exceeded.`, error);
  return unreachable(error);
}

/** undici may wrap the error that the lookup threw. */
function serviceErrorIn(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (error instanceof Error && error.cause !== undefined) return serviceErrorIn(error.cause);
  return undefined;
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text).slice(0, 255);
  } catch {
    return text.slice(0, 255);
  }
}

/**
 * `file_url`: a file of the public internet. Names are resolved once, every address that comes out must be public, and the
 * connection goes to just those; each redirect is judged like a first address. Only http and https, no credentials, bounded
 * in size and time. What the server answers is bytes for the probe and nothing else.
 */
import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup as dnsLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, type Dispatcher, errors, request } from 'undici';
import type { ReceivedFile } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import { notFetched, tooLarge } from './faults.js';
import { UPLOADS } from './limits.js';
import { isPublicAddress } from './public-addresses.js';

export interface FetchDeps {
  /** All addresses of a name. */
  readonly resolve?: (hostName: string) => Promise<readonly LookupAddress[]>;
  readonly isAllowed?: (address: string) => boolean;
  /** Keeps the bytes. */
  readonly receive: (source: AsyncIterable<Uint8Array>, fileName: string, maxBytes: number) => Promise<ReceivedFile>;
}

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
      // A body that is let go, or cut when the agent ends, says so as an event; whoever reads it is told by the reading.
      response.body.on('error', () => undefined);
      const next = REDIRECTS.has(response.statusCode) ? response.headers.location : undefined;
      if (next === undefined) return await keep(deps, url, response);
      response.body.destroy();
      if (hops >= UPLOADS.redirects) throw notFetched('it redirects too often.');
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
    throw notFetched(`its server answered with ${response.statusCode}.`);
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
  throw notFetched(`only ${file.size} of ${length} bytes arrived.`);
}

/** The connection that is cut here is the one to the foreign server. */
async function* faultsAsOurs(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw notFetched('its server broke off, or was too slow.', error);
  }
}

function checkedUrl(address: string, deps: FetchDeps): URL {
  const url = address.length <= UPLOADS.urlLength && URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw notFetched('file_url is no address.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw notFetched('file_url must be http or https.');
  if (url.username !== '' || url.password !== '') throw notFetched('file_url must not carry credentials.');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !(deps.isAllowed ?? isPublicAddress)(host)) throw notPublic();
  return url;
}

const notPublic = (): ServiceError => notFetched('its address is not public.');

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** In place of the system's: what it gives is what the socket connects to, so there is no second resolution to fool. */
function guardedLookup(deps: FetchDeps) {
  const resolve = deps.resolve ?? ((name: string) => dnsLookup(name, { all: true, verbatim: true }));
  const isAllowed = deps.isAllowed ?? isPublicAddress;
  return (hostName: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(hostName).then(
      (addresses) => {
        const [first] = addresses;
        // One address inside is reason enough: such a name is made to be found inside.
        if (first === undefined || !addresses.every(({ address }) => isAllowed(address))) callback(notPublic(), '');
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
  if (signal.aborted) return notFetched(`it took longer than ${UPLOADS.fetchMs / 1000} s.`, error);
  if (error instanceof errors.ConnectTimeoutError || error instanceof errors.HeadersTimeoutError) {
    return notFetched('its server does not answer.', error);
  }
  return notFetched('its server cannot be reached.', error);
}

/** undici may wrap what the lookup threw. */
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

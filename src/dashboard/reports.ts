/** Serves the report on a broadcast to those who have a link to it. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { REPORT_STYLE, reportPage } from '../lib/report-style.js';
import { type Log, StoreUnavailableError } from '../ports/index.js';
import { pathOf } from './pages.js';
import type { AddressOf } from './view/viewer.js';

/** The report as a page, made by the composition root. */
export interface ReportPage {
  /** Undefined: there is no such broadcast. */
  readonly html: (liveVideoId: string) => Promise<string | undefined>;
}

export interface ReportsDeps {
  readonly reports: ReportPage;
  /** Whether the token of a link opens the report on this broadcast. `from`: the client's address. */
  readonly opensReport: (token: string, liveVideoId: string, from: string) => Promise<boolean>;
  readonly addressOf: AddressOf;
  readonly log: Log;
}

const PATH = /^\/report\/(\d{1,20})\/([\w-]{8,100})$/;

export function createReports(deps: ReportsDeps): RequestListener {
  const style = createHash('sha256').update(REPORT_STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${style}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return (request, response) => {
    request.resume();
    response.setHeader('Content-Security-Policy', policy);
    void answer(deps, request, response).catch((error: unknown) => {
      if (error instanceof StoreUnavailableError)
        return plain(response, 503, 'The store is unavailable. Try again later.');
      deps.log.error({ error }, 'a report could not be made');
      return plain(response, 500, 'Internal server error.');
    });
  };
}

async function answer(deps: ReportsDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return plain(response, 405, 'Method not allowed: use GET.');
  const [, id, token] = PATH.exec(pathOf(request)) ?? [];
  const isOpen =
    id !== undefined && token !== undefined && (await deps.opensReport(token, id, deps.addressOf(request)));
  const html = isOpen ? await deps.reports.html(id) : undefined;
  if (html === undefined) return send(response, 404, 'text/html', ENDED);
  send(response, 200, 'text/html', html);
}

const ENDED = reportPage('This link has ended', [
  '<h1>This link to a report has ended, or is not complete</h1>',
  '<section>Links are valid for 7 days, and end earlier with the sign-in that made them. Ask for a new one where you got it.</section>',
]);

const plain = (response: ServerResponse, status: number, text: string): void =>
  send(response, status, 'text/plain', `${text}\n`);

function send(response: ServerResponse, status: number, type: string, text: string): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    // The address is the permission.
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex',
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

/** A span for each HTTP request, in a process that exports traces. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { inRequestSpan, markFailed, type Span } from '../../lib/spans.js';

/** Asked every few seconds by machines. */
const PROBES = /^\/(?:healthz|readyz|metrics)(?:[?/]|$)/;

export function traceRequests(handler: RequestListener): RequestListener {
  return (request, response) => {
    if (PROBES.test(request.url ?? '')) handler(request, response);
    else handleInSpan(handler, request, response);
  };
}

/** The path is left out: some have a signature or a ticket in them. */
function handleInSpan(handler: RequestListener, request: IncomingMessage, response: ServerResponse): void {
  inRequestSpan(request.method ?? 'GET', request.headers, (span) => {
    response.once('close', () => endSpan(span, response));
    handler(request, response);
  });
}

function endSpan(span: Span, { statusCode, writableFinished }: ServerResponse): void {
  span.setAttribute('http.response.status_code', statusCode);
  if (!writableFinished) markFailed(span, 'aborted');
  else if (statusCode >= 500) markFailed(span, String(statusCode));
  span.end();
}

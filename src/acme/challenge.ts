/** Answers the requests of the authority on the port for HTTP-01 (RFC 8555 8.3). Any server that shares the store can. */
import type { RequestListener } from 'node:http';
import { VOLATILE, type VolatileStore } from '../ports/index.js';

const PATH = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{16,256})$/;

export function answerChallenges(volatile: VolatileStore): RequestListener {
  return (request, response) => {
    const token = PATH.exec(request.url ?? '')?.[1];
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

/**
 * Reads and discards the rest of a refused request's body, up to a bound, before the response. Closing a connection
 * with unread bytes resets it, and the client would lose the error response.
 */
import type { IncomingMessage } from 'node:http';

const DRAIN = { bytes: 64 * 1024 * 1024, ms: 2_000 };

/** Resolves when the body ends, the client disconnects, or the bound is reached. */
export function drainBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > DRAIN.bytes) done();
    };
    const done = () => {
      clearTimeout(timer);
      request.off('data', take);
      request.off('end', done);
      request.off('close', done);
      request.pause();
      resolve();
    };
    const timer = setTimeout(done, DRAIN.ms);
    request.on('data', take);
    request.once('end', done);
    request.once('close', done);
    request.resume();
  });
}

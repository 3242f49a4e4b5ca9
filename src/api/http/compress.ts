/**
 * Compression of long responses. One that contains a token or a stream key is sent as it is: other people's text in the same
 * response, such as a comment, would let an observer of its length guess the secret (BREACH, see docs/security.md).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:zlib';
import compression from 'compression';
import type { JsonChunks } from '../graph/json-text.js';

/** Shorter responses fit into one packet. */
const MIN_BYTES = 1024;

/** A handler of Express that uses nothing of Express. */
interface Compressor {
  run(request: IncomingMessage, response: ServerResponse, next: () => void): void;
}

/** The fastest levels: JSON shrinks to a fifth with them, and the packets of streams need the processor too. */
const compressor: Compressor = {
  run: compression({
    threshold: MIN_BYTES,
    level: constants.Z_BEST_SPEED,
    brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
    filter: () => true,
  }),
};

/** Texts that precede a stream key or the key of an access token. */
const SECRETS = ['rtmps://', 'rtmp://', '"access_token":'];

export function isCompressed(request: IncomingMessage, { chunks, bytes }: JsonChunks, token?: string): boolean {
  const accepted = request.headers['accept-encoding'];
  if (bytes < MIN_BYTES || accepted === undefined || !/\b(?:gzip|br|deflate)\b/i.test(accepted)) return false;
  return ![...SECRETS, ...(token === undefined ? [] : [token])].some((secret) =>
    chunks.some((chunk) => chunk.includes(secret)),
  );
}

/** Everything that `send` writes to the response is compressed as its client accepts it. */
export function compressed(request: IncomingMessage, response: ServerResponse, send: () => void): void {
  compressor.run(request, response, send);
}

/**
 * Bytes of video files that arrive before the token that allows them: clients may write the parts of a form in any order.
 * Since anybody can send such bytes, what lies on the disk of them is bounded for the process as a whole.
 */
import { ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../services.js';

/** What one request holds. */
export interface TokenlessShare {
  bytes: number;
}

export class TokenlessBytes {
  #held = 0;

  /** Passes the bytes on. @throws ServiceError once there are too many, of this file or of all requests */
  async *count(source: AsyncIterable<Uint8Array>, share: TokenlessShare): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      const { tokenlessFileBytes, tokenlessBytes } = API_LIMITS;
      if (share.bytes + chunk.length > tokenlessFileBytes || this.#held + chunk.length > tokenlessBytes) {
        throw tokenFirst();
      }
      this.#held += chunk.length;
      share.bytes += chunk.length;
      yield chunk;
    }
  }

  /** The request is over: its files are discarded, or have become a video. */
  release(share: TokenlessShare): void {
    this.#held -= share.bytes;
    share.bytes = 0;
  }
}

function tokenFirst(): ServiceError {
  return new ServiceError({
    code: 104,
    type: 'OAuthException',
    status: 400,
    message:
      '(#104) An access token must come before a file of this size: in the address, a header, or an earlier field',
    isTransient: false,
  });
}

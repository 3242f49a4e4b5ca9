/**
 * Files that arrive before the token that allows them: clients may write the parts of a form in any order. Such files go
 * to the disk, and what they occupy there is bounded for each request, each address and the process.
 */
import { tokenRequiredFirst } from '../access/faults.js';
import { API_LIMITS } from '../context/limits.js';
import { ByteBudget, type ByteShare } from './byte-budget.js';

export class TokenlessFiles {
  readonly #budget = new ByteBudget(API_LIMITS.tokenlessFiles);

  /** Of one request. Release it when its files are discarded or have become a video. `address`: an address group. */
  open(address: string): ByteShare {
    return this.#budget.open(address);
  }
}

/** Passes the bytes on. @throws ServiceError 104 once there are too many */
export async function* countTokenless(source: AsyncIterable<Uint8Array>, share: ByteShare): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    const isTooLarge = share.bytes + chunk.length > API_LIMITS.tokenlessFiles.perRequest;
    if (isTooLarge || share.take(chunk.length) !== undefined) throw tokenRequiredFirst('before a file of this size');
    yield chunk;
  }
}

/**
 * Files that arrive before their token, since clients may order form parts freely. They are stored on disk, bounded per
 * request, per address and per process.
 */
import { tokenRequiredFirst } from '../access/faults.js';
import { API_LIMITS } from '../context/limits.js';
import { ByteBudget, type ByteShare } from './byte-budget.js';

export class TokenlessFiles {
  readonly #budget = new ByteBudget(API_LIMITS.tokenlessFiles);

  /**
   * The share of one request. Release it when its files are discarded or became a video. `address`: an address group.
   */
  open(address: string): ByteShare {
    return this.#budget.open(address);
  }
}

/** Passes the bytes through. @throws ServiceError 104 once a bound is exceeded */
export async function* countTokenless(source: AsyncIterable<Uint8Array>, share: ByteShare): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    const isTooLarge = share.bytes + chunk.length > API_LIMITS.tokenlessFiles.perRequest;
    if (isTooLarge || share.take(chunk.length) !== undefined) throw tokenRequiredFirst('before a file of this size');
    yield chunk;
  }
}

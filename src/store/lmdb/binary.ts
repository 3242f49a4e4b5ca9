/** Names what to install where LMDB's binary is missing: `npm install --omit=optional` leaves it out. */
import { StoreUnavailableError } from '../../ports/index.js';

/** Version in package.json: another version of the binary may not fit the library. */
export const LMDB_VERSION = '3.5.6';

/** @throws StoreUnavailableError when no binary was found; what `load` throws otherwise */
export async function withLmdb<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (!message.startsWith('No native build was found')) throw error;
    const name = /package: (@lmdb\/\S+)/.exec(message)?.[1];
    const binary = name === undefined ? 'the binary of LMDB' : `${name}@${LMDB_VERSION}`;
    throw new StoreUnavailableError(
      `the embedded store needs ${binary}: install it (npm install${name === undefined ? ' lmdb' : ` ${binary}`}), or set REDIS_URL`,
      { cause: error },
    );
  }
}

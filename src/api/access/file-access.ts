/** Access to the files of a video by token: the same rules as for reading the video. */

import type { VideoData } from '../../lifecycle/documents.js';
import type { StoredObject, TokenWatch } from '../../ports/index.js';
import { ServiceError } from '../../spec/service-errors.js';
import type { ApiDeps } from '../context/config.js';
import { Loader } from '../context/loader.js';
import { Access } from './access.js';
import { READ } from './rules.js';
import { TokenReader } from './tokens.js';

async function mayRead(access: Access, video: StoredObject): Promise<boolean> {
  try {
    if (!(await access.maySee(video))) return false;
    await access.check(READ, video);
    return true;
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

export class FileAccess implements TokenWatch {
  readonly #deps: Pick<ApiDeps, 'store' | 'clock'>;
  readonly #tokens: TokenReader;

  constructor(deps: Pick<ApiDeps, 'store' | 'clock' | 'config'>) {
    this.#deps = deps;
    this.#tokens = new TokenReader(deps.store, deps.clock, deps.config);
  }

  close(): void {
    this.#tokens.close();
  }

  /**
   * The id of the token if it may see the video. `undefined` also for a token that is unknown, expired or revoked, and for
   * an id that is not a video's.
   */
  async maySee(token: string, videoId: string): Promise<string | undefined> {
    try {
      const loader = new Loader(this.#deps.store.objects);
      const viewer = await this.#tokens.read(token);
      const access = new Access(viewer, loader, this.#deps.clock.wallMs());
      const video = await loader.load(videoId);
      return video?.kind === 'video' && (await mayRead(access, video)) ? viewer.tokenId : undefined;
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  /**
   * False for a video that is withheld since the link was made, unless the link is one of its managers, and for one that the
   * link's token may not read any more.
   */
  async isOpenToLink(videoId: string, tokenId: string | undefined): Promise<boolean> {
    const loader = new Loader(this.#deps.store.objects);
    const video = await loader.load(videoId);
    if (video?.kind !== 'video') return true;
    const data = video.data as VideoData;
    const nowMs = this.#deps.clock.wallMs();
    const viewer = tokenId === undefined ? undefined : await this.#tokens.viewer(tokenId);
    const access = new Access(viewer, loader, nowMs);
    if (viewer !== undefined && !(await mayRead(access, video))) return false;
    return !(await access.isWithheld(data)) || access.manages(data.ownerId);
  }

  isValid(tokenId: string): Promise<boolean> {
    return this.#tokens.isValid(tokenId);
  }

  watch(tokenId: string, onEnd: () => void): () => void {
    return this.#tokens.watch(tokenId, onEnd);
  }
}

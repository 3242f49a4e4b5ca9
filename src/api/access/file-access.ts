/** Access to the files of a video by token: the same rules as for reading the video. */
import { ServiceError } from '../../spec/service-errors.js';
import type { ApiDeps } from '../context/config.js';
import { Loader } from '../context/loader.js';
import { Access } from './access.js';
import { READ } from './rules.js';
import { TokenReader } from './tokens.js';

export class FileAccess {
  readonly #deps: Pick<ApiDeps, 'store' | 'clock'>;
  readonly #tokens: TokenReader;

  constructor(deps: Pick<ApiDeps, 'store' | 'clock' | 'config'>) {
    this.#deps = deps;
    this.#tokens = new TokenReader(deps.store, deps.clock, deps.config);
  }

  close(): void {
    this.#tokens.close();
  }

  /** Also false for a token that is unknown, expired or revoked, and for an id that is not a video's. */
  async maySee(token: string, videoId: string): Promise<boolean> {
    try {
      const loader = new Loader(this.#deps.store.objects);
      const access = new Access(await this.#tokens.read(token), loader, this.#deps.clock.wallMs());
      const video = await loader.load(videoId);
      if (video?.kind !== 'video' || !(await access.maySee(video))) return false;
      await access.check(READ, video);
      return true;
    } catch (error) {
      if (error instanceof ServiceError) return false;
      throw error;
    }
  }
}

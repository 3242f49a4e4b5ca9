/** ffmpeg and ffprobe as the media jobs use them (implemented by `probe/media-tools.ts`). */
import type { ProbedFile } from '../../facts/probed-file.js';
import type { Conversion, PictureRequest } from '../../ports/index.js';

export interface MediaPort {
  /** An unreadable file is a result with `facts.fault`, not an error. */
  probe(path: string, signal?: AbortSignal): Promise<ProbedFile>;
  /** Writes a fast-start MP4. */
  convert(conversion: Conversion): Promise<void>;
  /** Writes the frame at `positionMs` as a JPEG. */
  picture(request: PictureRequest): Promise<void>;
}

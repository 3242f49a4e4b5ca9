/** Judges whole files. */
import type { ByteSource } from '../bytes/byte-source.js';
import type { SourceOptions } from '../check/check-source.js';
import type { FileResult } from '../check/file-report.js';
import { coreFor } from './cores.js';
import { checkedProfile, type JudgingOptions } from './judge.js';

/** How a file is judged and read. All parts are optional. */
export interface FileOptions extends JudgingOptions {
  /**
   * `live`: by the rules of live broadcasts. `upload`: by those of uploaded videos, as `airlock validate --spec upload` does; of the
   * other options, `spec`, `name`, `onProgress` and `signal` then hold. Default: `live`.
   */
  readonly meantAs?: 'live' | 'upload' | undefined;
  /**
   * Called for each second of the stream, as far as it is read in pieces that small, and at least after each 64 reads: bytes so
   * far, changes of records since the last call, and the health at this point, for a timeline.
   */
  readonly onProgress?: SourceOptions['onProgress'];
  /** An `AbortSignal`. Aborted, it rejects the promise with its `reason`, before the next read. */
  readonly signal?: SourceOptions['signal'];
}

/** @throws AirlockError BAD_SPEC, UNKNOWN_PROFILE; what the source throws */
export async function validateSource(
  source: ByteSource,
  name: string,
  options: FileOptions,
  reread?: SourceOptions['reread'],
): Promise<FileResult> {
  const core = coreFor(options.spec);
  const { meantAs, profile, analysis, decode, onProgress, signal } = checkedProfile(core, options);
  if (meantAs === 'upload') return core.checkUpload(source, options.name ?? name, { onProgress, signal });
  return core.checkSource(source, options.name ?? name, {
    ...{ profile, analysis, decode, onProgress, signal },
    ...(reread === undefined ? {} : { reread }),
  });
}

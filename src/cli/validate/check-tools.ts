/** The programs that a check may start, and its progress callback. */
import type { ToolPaths } from '../../probe/tool-paths.js';

export interface CheckTools extends ToolPaths {
  /** Rules beyond the published document. */
  readonly analysis?: boolean;
  /** Decodes a key frame, given as an FLV file; undefined if it cannot be decoded. */
  readonly decode?: (flv: Uint8Array) => Uint8Array | undefined;
  /** Bytes read so far, and the size of the file if known. */
  readonly onProgress?: (bytes: number, of: number | undefined) => void;
}

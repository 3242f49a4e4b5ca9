/** The programs that a check may start, and who hears how far it is. */
import type { ToolPaths } from '../../probe/tool-paths.js';

export interface CheckTools extends ToolPaths {
  /** Bytes read so far, and the size of the file where it is known. */
  readonly onProgress?: (bytes: number, of: number | undefined) => void;
}

/** One run of ffmpeg that writes a preview, with the folder that it writes to. */
import type { ChildProcess } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { defined } from '../lib/objects.js';
import type { Cage } from './cage/cage.js';
import { PREVIEW } from './cage/limits.js';
import { RunFolder } from './cage/run-folder.js';
import { DECODERS } from './decoders.js';

export interface PreviewRun {
  readonly program: string;
  /** Precede the arguments of ffmpeg. */
  readonly args: readonly string[];
  readonly cwd?: string;
  /** A file that it has written. @throws ENOENT, OUTPUT_REFUSED */
  open(name: string): Promise<FileHandle>;
  /** Kills it. Resolves once nothing of it runs. False: something could not be ended. */
  end(child: ChildProcess): Promise<boolean>;
  /** After its end. */
  remove(): Promise<void>;
}

/** `path`: an empty folder. */
export function enterPreview(cage: Cage, tool: string, path: string): PreviewRun {
  const folder = new RunFolder(path);
  const { program, args, cwd, user, end } = cage.enter({ tool, limits: PREVIEW, output: path });
  return {
    program,
    args: [...args, '-codec_whitelist', DECODERS],
    ...defined({ cwd }),
    open: (name) => folder.file(name, user),
    end,
    remove: () => folder.remove(),
  };
}

/** A run writes to an empty folder of its own, so that it can neither read nor replace other files beside its output. */
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { takeBack } from './cage/cage.js';

/** `write` creates the file `name` in `folder`; it becomes `output`. */
export async function withOutputFolder(
  output: string,
  write: (folder: string, name: string) => Promise<void>,
): Promise<void> {
  // Beside the output: a rename works within one file system only.
  const folder = await mkdtemp(`${output}.run-`);
  try {
    // ffmpeg expands pattern characters in names of pictures.
    const name = basename(output).replaceAll('%', '_');
    await write(folder, name);
    const written = join(folder, name);
    takeBack(written);
    await rename(written, output);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** `airlock validate --watch`: judges files as they appear in the named folders, or change. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CliIo } from '../console/io.js';
import { type FoundFile, findFiles } from '../input/files.js';
import type { FileReport } from '../reports/report.js';

const POLL_MS = 500;

/** Finds files that are new or changed, once their size has stayed the same for a round: one that grows is still being written. */
export class ChangedFiles {
  readonly #list: () => readonly FoundFile[];
  readonly #stampOf: (file: string) => string | undefined;
  readonly #seen = new Map<string, string>();
  readonly #taken = new Map<string, string>();

  /** `stampOf`: size and time of change; undefined for a file that is gone. */
  constructor(list: () => readonly FoundFile[], stampOf: (file: string) => string | undefined) {
    this.#list = list;
    this.#stampOf = stampOf;
  }

  next(): string[] {
    const found: string[] = [];
    for (const { file, problem } of this.#list()) {
      const stamp = problem === undefined ? this.#stampOf(file) : undefined;
      if (stamp === undefined) continue;
      const isStable = this.#seen.get(file) === stamp;
      this.#seen.set(file, stamp);
      if (!isStable || this.#taken.get(file) === stamp) continue;
      this.#taken.set(file, stamp);
      found.push(file);
    }
    return found;
  }
}

interface Actions {
  readonly judge: (file: FoundFile) => Promise<FileReport>;
  readonly deliver: (report: FileReport) => void;
}

/** Returns the last report on each file, after the first stop signal. */
export async function watchFiles(
  args: readonly string[],
  io: CliIo,
  { judge, deliver }: Actions,
): Promise<FileReport[]> {
  const stop = new AbortController();
  const stopped = io.untilStopped().then(() => stop.abort());
  const reports = new Map<string, FileReport>();
  const changed = new ChangedFiles(
    () => findFiles(args, io.cwd).filter(({ file }) => file !== '-'),
    (file) => {
      const info = statSync(resolve(io.cwd, file), { throwIfNoEntry: false });
      return info === undefined ? undefined : `${info.size} ${info.mtimeMs}`;
    },
  );
  while (!stop.signal.aborted) {
    for (const file of changed.next()) {
      if (stop.signal.aborted) break;
      const report = await judge({ file });
      reports.set(file, report);
      deliver(report);
    }
    await delay(POLL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  await stopped;
  return [...reports.values()];
}

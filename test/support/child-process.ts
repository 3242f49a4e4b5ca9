/** Real child processes for tests that kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** Resolves when a line of its output satisfies; rejects when it ends before. */
  line(wanted: (line: string) => boolean): Promise<string>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** Runs a TypeScript file of test/support in a process of its own. */
export function startChild(file: string, ...args: readonly string[]): Child {
  return start(process.execPath, [], file, args);
}

/** The same with a limit on file size in KiB: the closest to a full disk without root. */
export function startCrampedChild(fileKiB: number, file: string, ...args: readonly string[]): Child {
  return start('sh', ['-c', `ulimit -S -f ${fileKiB * 2}; exec "$@"`, 'sh', process.execPath], file, args);
}

function start(command: string, before: readonly string[], file: string, args: readonly string[]): Child {
  const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(
    command,
    [...before, '--no-warnings', '--import', here('./typescript-loader.mjs'), here(`./${file}`), ...args],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const output = createInterface({ input: child.stdout });
  output.on('line', (line) => {
    lines.push(line);
    for (const look of [...waiting]) look();
  });
  const ended = once(child, 'close');
  return {
    process: child,
    lines,
    line: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = lines.find(wanted);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        ended.then(() => reject(new Error(`the child ended before it said so:\n${errors}`)));
      }),
    kill: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}

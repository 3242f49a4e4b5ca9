/** `airlock live errors --follow`: prints records of a running server as they are raised and cleared. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/settings/schema.js';
import { visible, visibleJson } from '../../lib/visible.js';
import { CliError, EXIT, type ExitCode } from '../console/exit.js';
import { type CliIo, printLine } from '../console/io.js';
import type { Answer } from './action.js';
import { type AdminInput, callSocketAdmin, isServing } from './client.js';

const POLL_MS = 1_000;

/** The records that are new or that were cleared since the last answer, oldest first. */
class ChangedRecords {
  readonly #seen = new Map<unknown, boolean>();

  next(answer: Answer): Answer[] {
    const rows = [...(answer.errors as readonly Answer[])].reverse();
    return rows.filter((record) => {
      const isCleared = record.cleared_time !== undefined;
      if (this.#seen.get(record.id) === isCleared) return false;
      this.#seen.set(record.id, isCleared);
      return true;
    });
  }
}

export interface Follow {
  readonly input: AdminInput;
  readonly format: unknown;
  readonly exitCode: (answer: Answer) => ExitCode;
}

/** Until a stop signal. Returns the worst exit code of what was printed. */
export async function followErrors(config: Config, io: CliIo, { input, format, exitCode }: Follow): Promise<ExitCode> {
  if (!(await isServing(config)))
    throw new CliError(`no server is running on ${config.dataDir}: --follow needs one`, EXIT.unreachable);
  const stop = new AbortController();
  const stopped = io.untilStopped().then(() => stop.abort());
  const changed = new ChangedRecords();
  let code: ExitCode = EXIT.ok;
  while (!stop.signal.aborted) {
    const rows = changed.next((await callSocketAdmin(config, 'live.errors', input)) as Answer);
    for (const row of rows)
      printLine(io.stdout, format === 'json' ? visibleJson(JSON.stringify(row)) : recordLine(row));
    code = exitCode({ errors: rows }) === EXIT.ok ? code : EXIT.errorsFound;
    await delay(POLL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  await stopped;
  return code;
}

function recordLine(record: Answer): string {
  const cleared = record.cleared_time;
  if (cleared !== undefined) return visible(`${cleared}  cleared  ${record.error_code} ${record.error_type}`);
  return visible(`${record.timestamp}  ${record.severity}  ${record.description}`);
}

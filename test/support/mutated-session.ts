/** A server session with one planted fault: a copy of its source in which one line differs. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Case } from '../../src/conform/case.js';
import { runCases } from '../../src/conform/runner.js';
import type { ServerSession, ServerSessionOptions } from '../../src/rtmp/session/server-session.js';
import { KEYS, SessionIngest } from './session-ingest.js';

export interface Fault {
  /** Below `src/rtmp`. */
  readonly file: string;
  /** The text that is replaced: it must occur once. */
  readonly from: string;
  readonly to: string;
}

const SOURCE = join(import.meta.dirname, '..', '..', 'src');
/** All that a session imports. */
const FOLDERS = ['rtmp', 'bytes', 'lib'];

export async function mutatedSession(fault: Fault): Promise<(options: ServerSessionOptions) => ServerSession> {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-mutant-'));
  try {
    for (const name of FOLDERS) cpSync(join(SOURCE, name), join(folder, name), { recursive: true });
    const path = join(folder, 'rtmp', fault.file);
    const text = readFileSync(path, 'utf8');
    const places = text.split(fault.from).length - 1;
    if (places !== 1)
      throw new Error(`the text to replace occurs ${places} times in src/rtmp/${fault.file}: ${fault.from}`);
    writeFileSync(
      path,
      text.replace(fault.from, () => fault.to),
    );
    const module: typeof import('../../src/rtmp/session/server-session.js') = await import(
      join(folder, 'rtmp', 'session', 'server-session.ts')
    );
    return (options) => new module.ServerSession(options);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Ids of the cases that fail against a session with the fault. */
export async function failuresOf(fault: Fault, cases: readonly Case[]): Promise<string[]> {
  const { results } = await runCases(cases, {
    peer: new SessionIngest({ open: await mutatedSession(fault) }),
    keys: KEYS,
    timeoutMs: 1000,
    pause: async () => undefined,
    inTurn: true,
  });
  return results.filter(({ verdict }) => verdict === 'fail').map((result) => result.case.id);
}

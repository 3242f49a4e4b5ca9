/** One line of the output of `airlock doctor`. */
export type Level = 'ok' | 'warn' | 'fail';

export interface CheckResult {
  readonly level: Level;
  /** Subject of the check: one or two words. */
  readonly what: string;
  readonly finding: string;
}

export const ok = (what: string, finding: string): CheckResult => ({ level: 'ok', what, finding });
export const warn = (what: string, finding: string): CheckResult => ({ level: 'warn', what, finding });
export const fail = (what: string, finding: string): CheckResult => ({ level: 'fail', what, finding });

/** The result of a preflight, identical on the connection and by GET. */
import type { RuleVerdict } from '../../judge/judge.js';

export interface PreflightVerdict {
  readonly result: 'pass' | 'warn' | 'fail';
  readonly atMs: number;
  readonly streamTimeMs: number;
  readonly rules: readonly RuleVerdict[];
}

export function preflightVerdict(
  rules: readonly RuleVerdict[],
  { atMs, streamTimeMs }: Pick<PreflightVerdict, 'atMs' | 'streamTimeMs'>,
): PreflightVerdict {
  const has = (judged: RuleVerdict['judged']) => rules.some((rule) => rule.judged === judged);
  return { result: has('fail') ? 'fail' : has('warn') ? 'warn' : 'pass', atMs, streamTimeMs, rules };
}

/** One sentence for the user of the encoder. */
export function describePreflight({ result, rules }: PreflightVerdict): string {
  if (result === 'pass') {
    const unjudged = rules.filter((rule) => rule.judged === 'not-judged').length;
    return `Preflight passed: the stream meets the specification (${unjudged} rules had too little data).`;
  }
  const broken = rules
    .filter((rule) => rule.judged === 'fail' || rule.judged === 'warn')
    .map((rule) => `${rule.code} ${rule.type}`);
  return `Preflight ${result === 'fail' ? 'failed' : 'passed with warnings'}: ${broken.join(', ')}.`;
}

/** Reasons other than rules for which a file fails on request: `--profile`, `--require-judged`. */
import type { FileReport } from './report.js';

export interface Failure {
  /** Id as a rule of SARIF and a case of JUnit. */
  readonly id: 'PROFILE' | 'NOT_JUDGED';
  readonly title: string;
  readonly text: string;
}

export function failures({ profile, requirement }: FileReport): Failure[] {
  const found: Failure[] = [];
  if (requirement !== undefined && requirement.missing.length > 0)
    found.push({
      id: 'NOT_JUDGED',
      title: 'not judged',
      text: `too little media for ${requirement.missing.join(', ')}`,
    });
  if (profile?.met === false)
    found.push({ id: 'PROFILE', title: `profile ${profile.name}`, text: profile.differences.join('; ') });
  return found;
}

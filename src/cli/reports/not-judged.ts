/** Which rules had too little data in a file. */
import type { RuleVerdict } from '../../judge/judge.js';
import type { CatalogueEntry } from '../../rules/catalogue-entry.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import { CliError } from '../console/exit.js';
import type { FileReport } from './report.js';

const BY_CODE = new Map(CATALOGUE.map((row) => [row.code, row]));

/** Published requirements and recommendations that media alone can show. */
const JUDGED_BY_MEDIA = CATALOGUE.filter(
  (row) => (row.judgedBy === 'media' || row.judgedBy === 'both') && row.source === 'stream' && !row.analysis,
).filter((row) => row.severity !== 'info');

/** The value of `--require-judged`: `all`, or codes. @throws CliError */
export function requiredCodes(value: string, spec: FileReport['spec']): number[] {
  const able = spec === 'live' ? JUDGED_BY_MEDIA : CATALOGUE.filter((row) => row.judgedBy === 'file');
  if (value === 'all') return able.map((row) => row.code);
  return value.split(/[\s,]+/).map((text) => {
    const code = Number(text);
    const row = BY_CODE.get(code);
    if (row === undefined)
      throw new CliError(`--require-judged: ${text} is not an error code (npx airlock spec lists them)`);
    const isAble = spec === 'live' ? row.judgedBy === 'media' || row.judgedBy === 'both' : row.judgedBy === 'file';
    if (!isAble) throw new CliError(`--require-judged: files are not judged by ${code} under --spec ${spec}`);
    return code;
  });
}

/** Those of `required` without a verdict. */
export function unjudged(rules: readonly RuleVerdict[], required: readonly number[]): number[] {
  return required.filter((code) => (rules.find((rule) => rule.code === code)?.judged ?? 'not-judged') === 'not-judged');
}

/** Rules without a verdict by the reason: media that is missing or too short, or a clock that files do not have. */
export function reasons(rules: readonly RuleVerdict[]): Readonly<Record<'lacksData' | 'needsClock', CatalogueEntry[]>> {
  const rows = rules.flatMap(({ code, judged }) => {
    const row = BY_CODE.get(code);
    return judged === 'not-judged' && row !== undefined ? [row] : [];
  });
  const needsClock = rows.filter((row) => row.judgedBy === 'arrival');
  return { lacksData: rows.filter((row) => !needsClock.includes(row)), needsClock };
}

/** Requirements of live streams without a verdict in a file that would otherwise pass: its result says less than it seems to. */
export function doubts({ outcome, rules, requirement }: FileReport): CatalogueEntry[] {
  const { lacksData } = reasons(rules);
  if (requirement !== undefined) return lacksData.filter((row) => requirement.missing.includes(row.code));
  if (outcome !== 'pass' && outcome !== 'warning') return [];
  return lacksData.filter((row) => row.severity === 'error' && !row.analysis && row.judgedBy !== 'file');
}

/**
 * `--baseline FILE`: known faults, which do not fail a run. The file is an earlier report (`--format json`); a fault is known
 * when the same file had one of the same code in it.
 */
import { readFileSync } from 'node:fs';
import { outcomeOf } from '../../check/file-report.js';
import { fileProblem } from '../../lib/errors.js';
import { isRecord } from '../../lib/objects.js';
import { CliError } from '../console/exit.js';
import type { FileReport } from '../reports/report.js';

/** File name → codes. */
export type Baseline = ReadonlyMap<string, ReadonlySet<number>>;

/** @throws CliError */
export function readBaseline(path: string, shown: string): Baseline {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CliError(`${shown} is not JSON: ${error.message}`);
    throw new CliError(`${shown} cannot be read: ${fileProblem(error)}`);
  }
  const files = isRecord(content) ? content.files : undefined;
  if (!Array.isArray(files)) throw new CliError(`${shown} is not a report of validate --format json`);
  return new Map(
    files.filter(isRecord).map(({ file, errors }) => {
      const codes = (Array.isArray(errors) ? errors : []).filter(isRecord).map(({ error_code }) => Number(error_code));
      return [String(file), new Set(codes)];
    }),
  );
}

export function withoutKnown(report: FileReport, baseline: Baseline): FileReport {
  const codes = baseline.get(report.file);
  const known = [...new Set(report.errors.map((record) => record.error_code))].filter((code) => codes?.has(code));
  if (known.length === 0) return report;
  const others = report.errors.filter((record) => !known.includes(record.error_code));
  return { ...report, known, ...(report.outcome === 'unreadable' ? {} : { outcome: outcomeOf(others) }) };
}

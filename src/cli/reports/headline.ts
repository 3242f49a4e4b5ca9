/** The first line of a report on one file. */
import { uploadReadable } from '../../rules/upload/readable.js';
import { DROPPED, type FileReport, STOPPED } from './report.js';

export function headline(report: FileReport): string {
  const count = (severity: string) => report.errors.filter((record) => record.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const found = [many(errors, 'error'), many(warnings, 'warning')].filter((word) => word !== '').join(', ');
  if (report.outcome === 'unreadable') {
    const isWhy = report.errors.some(({ error_code: code }) => code === uploadReadable.entry.code);
    if (report.rules.length === 0 || isWhy) return `unreadable: ${report.problem}`;
    return `${report.problem} (before that: ${found === '' ? 'no violations' : found})`;
  }
  if (report.published === false && found === '') return 'not published';
  if (report.published === true && found === '' && report.notes.includes(DROPPED))
    return 'published until the requested drop; no errors reported';
  if (report.published === true && found === '' && report.notes.some((note) => note.startsWith(STOPPED)))
    return 'published until stopped; no errors reported';
  // Not a pass: most RTMP servers check nothing.
  if (report.published === true && found === '') return 'published; no errors reported';
  return found === '' ? 'no violations' : found;
}

function many(count: number, word: string): string {
  return count === 0 ? '' : `${count} ${word}${count === 1 ? '' : 's'}`;
}

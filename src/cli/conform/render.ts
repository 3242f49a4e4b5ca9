/** A run of the conformance cases as text, JSON and JUnit, and the list of the cases. */
import { type Case, GROUPS, type Group, type Result, type Verdict } from '../../conform/case.js';
import { visible, visibleJson } from '../../lib/visible.js';
import { textTable } from '../console/text-table.js';
import { escaped, quoted } from '../reports/junit.js';

export interface Outcome {
  readonly target: string;
  readonly results: readonly Result[];
  readonly seconds: number;
  /** Cases that ran when the peer stopped to accept connections. */
  readonly died: readonly string[] | undefined;
}

const WORDS: Readonly<Record<Verdict, string>> = { pass: 'pass', fail: 'FAIL', unknown: 'unknown', skipped: 'skipped' };
const WORD_COLUMNS = 7;
const LEVEL_COLUMNS = 8;

/** The cases of a group: a line each, and what was sent, expected and came where it did not pass. */
export function groupText(group: Group, results: readonly Result[]): string {
  return [group, ...results.flatMap(caseLines)].join('\n');
}

function caseLines({ case: { id, level, title, clause }, verdict, sent, expected, came }: Result): string[] {
  const line = `  ${WORDS[verdict].padEnd(WORD_COLUMNS)}  ${level.padEnd(LEVEL_COLUMNS)}  ${nameOf(id)}: ${title}`;
  if (verdict === 'pass') return [line];
  if (verdict === 'skipped' || sent === '') return [`${line} (${visible(came)})`];
  const indent = ' '.repeat(LEVEL_COLUMNS + 3);
  const facts = { clause, sent, expected, came };
  return [
    line,
    ...Object.entries(facts).map(([name, text]) => `${indent}${name.padEnd(LEVEL_COLUMNS)}  ${visible(text)}`),
  ];
}

function nameOf(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}

export function summaryText({ results, seconds, died }: Outcome): string {
  const count = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  const failed = results.filter(({ verdict }) => verdict === 'fail');
  const levels = [...new Set(failed.map(({ case: { level } }) => level))].map(
    (level) => `${failed.filter(({ case: of }) => of.level === level).length} ${level}`,
  );
  const parts = [
    `${count('pass')} passed`,
    failed.length === 0 ? 'none failed' : `${failed.length} failed (${levels.join(', ')})`,
    `${count('unknown')} unknown`,
    `${count('skipped')} skipped`,
  ];
  const end = died === undefined ? [] : [endText(died)];
  return [...end, `${results.length} cases in ${seconds.toFixed(1)} s: ${parts.join(', ')}`].join('\n');
}

/** Cases that run side by side end together. */
function endText(died: readonly string[]): string {
  const text = `The peer accepted no connection any more after ${died.join(', ')}.`;
  return died.length === 1 ? text : `${text} Run each alone, with --only, to see which one it ends from.`;
}

export function listText(cases: readonly Case[], columns: number): string {
  return textTable(
    ['Case', 'Level', 'Clause', 'Holds'],
    cases.map(({ id, level, clause, title }) => [id, level, clause, title]),
    columns,
  );
}

const described = ({ id, group, clause, level, title }: Case) => ({ id, group, clause, level, title });

export function listJson(cases: readonly Case[]): string {
  return `${visibleJson(JSON.stringify({ cases: cases.map(described) }, null, 2))}\n`;
}

export function runJson({ target, results, seconds, died }: Outcome): string {
  const cases = results.map(({ case: of, verdict, sent, expected, came, ms }) => ({
    ...described(of),
    verdict,
    sent,
    expected,
    came,
    ms,
  }));
  return `${visibleJson(JSON.stringify({ target, seconds, ...(died === undefined ? {} : { died }), cases }, null, 2))}\n`;
}

/** A suite for each group. What could not be judged is skipped, with the reason. */
export function runJunit({ results, seconds }: Outcome): string {
  const suites = GROUPS.flatMap((group) => {
    const own = results.filter(({ case: of }) => of.group === group);
    return own.length === 0 ? [] : [suite(group, own)];
  });
  const total = `tests="${results.length}" failures="${failures(results)}" errors="0" time="${seconds.toFixed(3)}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="npx airlock conform" ${total}>\n${suites.join('\n')}\n</testsuites>\n`;
}

const failures = (results: readonly Result[]) => results.filter(({ verdict }) => verdict === 'fail').length;

function suite(group: Group, results: readonly Result[]): string {
  const skipped = results.filter(({ verdict }) => verdict === 'skipped' || verdict === 'unknown').length;
  const seconds = results.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  const head = `name="${group}" tests="${results.length}" failures="${failures(results)}" errors="0" skipped="${skipped}" time="${seconds.toFixed(3)}"`;
  return `  <testsuite ${head}>\n${results.map(testCase).join('\n')}\n  </testsuite>`;
}

function testCase({ case: of, verdict, sent, expected, came, ms }: Result): string {
  const open = `    <testcase classname="${of.group}" name="${quoted(nameOf(of.id))}" time="${(ms / 1000).toFixed(3)}"`;
  if (verdict === 'pass') return `${open}/>`;
  if (verdict !== 'fail')
    return `${open}><skipped/><system-out>${escaped(`${verdict}: ${came}`)}</system-out></testcase>`;
  const text = `${of.title} (${of.clause}, ${of.level})\nsent: ${sent}\nexpected: ${expected}\ncame: ${came}`;
  return `${open}><failure type="${of.level}" message="${quoted(`expected ${expected}`)}">${escaped(text)}</failure></testcase>`;
}

/** Generates docs/rules.md from the catalogue: each rule's meaning, raising and clearing conditions, and remedies. */
import { cleared, delay } from '../../src/check/explain.js';
import type { CatalogueEntry } from '../../src/rules/catalogue-entry.js';
import { CATALOGUE } from '../../src/rules/registry/catalogue.js';
import { FAMILY_REMEDIES, remedyFor } from '../../src/rules/remedies/remedy.js';
import { TOLERANCES } from '../../src/spec/tolerances.js';

const HEAD = `# Rules

Which faults does Airlock report, when is each raised and cleared, and what fixes it?

Generated from \`src/spec\` and \`src/rules\`; \`UPDATE_DOCS=1 npm test -- test/unit/cli/spec\` regenerates it. The published
requirements are in [spec.md](spec.md), the reasons for every unpublished choice in [spec-gaps.md](spec-gaps.md).

*Judged by* media: by decode times only, so that live, offline and replay agree. Arrival: by the clock, so never offline.
Both: by whichever reaches the bound first. File: an uploaded file. *Delay* is the maximum time from the fault to its record,
on the clock that judges it. A fault that recurs within 60 s of clearing increments the count of the same record. The end of
the stream clears all records.
`;

const GROUPS: readonly (readonly [string, (code: number) => boolean])[] = [
  ['Protocol', (code) => code < 6200],
  ['Video', (code) => code >= 6200 && code < 6300],
  ['Audio', (code) => code >= 6300 && code < 6400],
  ['Tracks and time', (code) => code >= 6400 && code < 6500],
  ['The broadcast', (code) => code >= 6500 && code < 6700],
  ['Uploaded files', (code) => code >= 6700 && code < 6800],
  ['Dead air and picture', (code) => code >= 6800 && code < 6900],
  ['Causes', (code) => code >= 6900],
];

/** The complete document, ending in a newline. */
export function rulesDocument(): string {
  const parts = [HEAD, overview()];
  for (const [title, belongs] of GROUPS) {
    parts.push(`## ${title}\n`, ...CATALOGUE.filter(({ code }) => belongs(code)).map(section));
  }
  parts.push('## All numbers\n', numbers());
  return `${parts.join('\n')}`;
}

function overview(): string {
  const rows = CATALOGUE.map(
    ({ code, type, severity, judgedBy, title }) =>
      `| [${code}](#${anchor(code, type)}) | ${type} | ${severity} | ${judgedBy} | ${title} |`,
  );
  return `| Code | error_type | Severity | Judged by | |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

function anchor(code: number, type: string): string {
  return `${code}-${type.toLowerCase()}`;
}

function section(entry: CatalogueEntry): string {
  const rows: [string, string][] = [
    ['Meaning', `${entry.title}.`],
    ['Clause', entry.clause],
    ['Raised', entry.raisedWhen],
    ['Delay', delay(entry)],
    ['Cleared', cleared(entry.clears, entry.judgedBy === 'file')],
    ['Severity', entry.severity],
    ['Judged by', entry.judgedBy],
    ['error_subcode', entry.subcode ?? String(entry.code)],
    ...(entry.unit === '' ? [] : ([['Unit', entry.unit]] as [string, string][])),
    ...(entry.pushed ? [] : ([['Pushed', 'no']] as [string, string][])),
  ];
  const table = `| | |\n|---|---|\n${rows.map(([name, text]) => `| ${name} | ${text} |`).join('\n')}`;
  return `### ${entry.code} ${entry.type}\n\n${table}\n\n${remedies(entry.code)}\n`;
}

/** The general remedy, then those of the encoder families. */
function remedies(code: number): string {
  const own = [...FAMILY_REMEDIES].flatMap(([family, table]) => {
    const text = table[code];
    return text === undefined ? [] : [`- ${family}: ${text}`];
  });
  return ['What to change:', `- any encoder: ${remedyFor(code)}`, ...own].join('\n');
}

function numbers(): string {
  const rows = Object.entries(TOLERANCES).flatMap(([group, entries]) =>
    Object.entries(entries).map(([name, { value, unit, why }]) => `| ${group}.${name} | ${value} ${unit} | ${why} |`),
  );
  return `| Name | Value | Why |\n|---|---|---|\n${rows.join('\n')}\n`;
}

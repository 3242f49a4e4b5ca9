/** docs/rules.md, made from the catalogue: what each rule says, when it is raised and cleared, and what to change. */
import type { CatalogueEntry, Clearing } from '../../rules/catalogue-entry.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import { FAMILY_REMEDIES, remedyFor } from '../../rules/remedies/remedy.js';
import { TOLERANCES } from '../../spec/tolerances.js';

const HEAD = `# The rules

Made from \`src/spec\` and \`src/rules\`; \`UPDATE_DOCS=1 npm test -- test/unit/cli/spec\` writes it anew. What is published stands in
[spec.md](spec.md), why the open points were decided so in [spec-gaps.md](spec-gaps.md).

*Judged by* media: decode times alone, so that live, offline and replay agree. Arrival: the clock, so not offline. File: an
uploaded file. *Told* is the longest time from the fault to its record, on the clock that judges it. A fault that comes
back within 60 s of its clearing is the same record, counted once more; the end of the stream clears all.
`;

const GROUPS: readonly (readonly [string, (code: number) => boolean])[] = [
  ['Protocol', (code) => code < 6200],
  ['Video', (code) => code >= 6200 && code < 6300],
  ['Audio', (code) => code >= 6300 && code < 6400],
  ['Tracks and time', (code) => code >= 6400 && code < 6500],
  ['The broadcast', (code) => code >= 6500 && code < 6700],
  ['Uploaded files', (code) => code >= 6700],
];

/** The document, ending in a newline. */
export function rulesDocument(): string {
  const parts = [HEAD, overview()];
  for (const [title, belongs] of GROUPS) {
    parts.push(`## ${title}\n`, ...CATALOGUE.filter(({ code }) => belongs(code)).map(section));
  }
  parts.push('## Every number\n', numbers());
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
    ['Told', told(entry)],
    ['Cleared', cleared(entry.clears, entry.judgedBy === 'file')],
    ['Severity', entry.severity],
    ['Judged by', entry.judgedBy],
    ['error_subcode', entry.subcode],
    ...(entry.unit === '' ? [] : ([['Unit', entry.unit]] as [string, string][])),
    ...(entry.pushed ? [] : ([['Pushed', 'no']] as [string, string][])),
  ];
  const table = `| | |\n|---|---|\n${rows.map(([name, text]) => `| ${name} | ${text} |`).join('\n')}`;
  return `### ${entry.code} ${entry.type}\n\n${table}\n\n${remedies(entry.code)}\n`;
}

function told({ delay }: CatalogueEntry): string {
  return delay.ms === 0 ? `At once: ${delay.text}.` : `Within ${delay.ms.toLocaleString('en-US')} ms ${delay.text}.`;
}

function cleared(clears: Clearing, isFile: boolean): string {
  switch (clears.how) {
    case 'header':
      return 'At the next conforming header.';
    case 'key-frames':
      return `After ${clears.times} conforming key frames in a row.`;
    case 'window':
      return `When it has been inside the bound for ${clears.insideMs / 1000} s.`;
    case 'flow':
      return `When the track has flowed for ${clears.flowsMs / 1000} s.`;
    case 'settings':
      return 'When the first settings return.';
    case 'connection':
      return 'When the connection ends.';
    case 'point':
      return isFile ? 'Never: a file does not change.' : 'A point in time, over when it is raised.';
    default: {
      const missing: never = clears;
      return missing;
    }
  }
}

/** The general remedy, and each family's own. */
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

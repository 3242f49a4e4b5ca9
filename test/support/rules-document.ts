/** Generates docs/rules.md and docs/rules/ from the catalogue: each rule's meaning, raising and clearing conditions, and remedies. */
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
the stream clears all records. Every number that the rules use is in [rules/numbers.md](rules/numbers.md).
`;

interface Family {
  readonly file: string;
  readonly title: string;
  readonly question: string;
  readonly belongs: (code: number) => boolean;
}

const between = (first: number, end: number) => (code: number) => code >= first && code < end;

/** A page each: none has more than 250 lines, so that it can be read. */
const FAMILIES: readonly Family[] = [
  {
    file: 'protocol',
    title: 'Protocol',
    question: 'What is wrong before a packet of media comes?',
    belongs: between(6100, 6200),
  },
  {
    file: 'video-format',
    title: 'Video format',
    question: 'Which codecs, levels, sizes and frame rates break a rule?',
    belongs: between(6200, 6208),
  },
  {
    file: 'video-rate',
    title: 'Key frames and bitrate',
    question: 'Which intervals of key frames, bitrates and kinds of coding break a rule?',
    belongs: between(6208, 6216),
  },
  {
    file: 'video-stream',
    title: 'Video bit stream',
    question: 'Which faults can tracks, parameter sets and pictures of the video have?',
    belongs: between(6216, 6300),
  },
  {
    file: 'audio',
    title: 'Audio',
    question: 'Which settings and faults of the sound break a rule?',
    belongs: between(6300, 6400),
  },
  {
    file: 'tracks',
    title: 'Tracks and time',
    question: 'When do tracks, timestamps and delivery break a rule?',
    belongs: between(6400, 6500),
  },
  {
    file: 'broadcast',
    title: 'The broadcast',
    question: 'What may happen to a broadcast, its recording, its forwards and its content?',
    belongs: between(6500, 6700),
  },
  {
    file: 'uploads',
    title: 'Uploaded files',
    question: 'Which uploads are refused?',
    belongs: between(6700, 6800),
  },
  {
    file: 'content',
    title: 'Dead air and picture',
    question: 'When do sound or picture carry nothing?',
    belongs: between(6800, 6900),
  },
  {
    file: 'causes',
    title: 'Causes',
    question: 'Why does a stream arrive late or with frames missing?',
    belongs: between(6900, 7000),
  },
];

/** Every page by its path in `docs`: the overview, the families, and the numbers. */
export function rulesDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ['rules.md', `${HEAD}\n${overview()}`],
    ...FAMILIES.map((family): [string, string] => [`rules/${family.file}.md`, familyDocument(family)]),
    ['rules/numbers.md', numbers()],
  ]);
}

function familyDocument({ title, question, belongs }: Family): string {
  const sections = CATALOGUE.filter(({ code }) => belongs(code)).map(section);
  return [`# ${title}\n`, `${question} [All rules](../rules.md) says how to read this page.\n`, ...sections].join('\n');
}

/** Where a rule stands: `rules/audio.md#6301-audio_codec_unsupported`. */
export function placeOfRule({ code, type }: Pick<CatalogueEntry, 'code' | 'type'>): string {
  const family = FAMILIES.find(({ belongs }) => belongs(code));
  return `rules/${family?.file}.md#${anchor(code, type)}`;
}

function overview(): string {
  const rows = CATALOGUE.map(
    (entry) =>
      `| [${entry.code}](${placeOfRule(entry)}) | ${entry.type} | ${entry.severity} | ${entry.judgedBy} | ${entry.title} |`,
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
  return `## ${entry.code} ${entry.type}\n\n${table}\n\n${remedies(entry.code)}\n`;
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
  return `# Numbers of the rules

Which numbers do the rules use beside those of the published document, and why? The published ones are in [spec.md](../spec.md).

| Name | Value | Why |
|---|---|---|
${rows.join('\n')}
`;
}

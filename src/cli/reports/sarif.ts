/** The report as SARIF 2.1.0 (OASIS): the catalogue as rules, each record as a result at the packet that shows it. */

import type { FileRecord } from '../../check/file-report.js';
import { visibleJson, visibleLines } from '../../lib/visible.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import type { Severity } from '../../spec/error-record.js';
import { comparison } from './expectation.js';
import type { FileReport } from './report.js';
import { failures } from './report.js';

const LEVELS: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

export function sarifReport(reports: readonly FileReport[], toolVersion: string): string {
  const content = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Airlock', version: toolVersion, rules: [...CATALOGUE.map(rule), ...RUN_FAILURES] } },
        invocations: [invocation(reports)],
        artifacts: reports.map((report) => ({ location: { uri: uriOf(report.file) }, length: report.bytes })),
        results: reports.flatMap((report, index) => [
          ...report.errors.map((record) => result(report, index, record)),
          ...faultsOf(report).map((fault) => ({ ...fault, locations: [locationOf(report, index)] })),
        ]),
        columnKind: 'utf16CodeUnits',
      },
    ],
  };
  return `${visibleJson(JSON.stringify(content, null, 2))}\n`;
}

function rule(row: (typeof CATALOGUE)[number]): object {
  return {
    id: String(row.code),
    name: row.type,
    shortDescription: { text: row.title },
    fullDescription: { text: row.raisedWhen },
    help: { text: row.clause },
    defaultConfiguration: { level: LEVELS[row.severity] },
  };
}

/** Failures of a run other than rules, as results since most viewers ignore notifications. The ids are those of JUnit. */
const RUN_FAILURES = [
  { id: 'UNREADABLE', shortDescription: { text: 'The file cannot be read to its end' } },
  { id: 'NOT_PUBLISHED', shortDescription: { text: 'The recording was not published' } },
  { id: 'NOT_JUDGED', shortDescription: { text: 'A rule that must be judged had too little data' } },
  { id: 'PROFILE', shortDescription: { text: 'The file is not of the profile' } },
  { id: 'EXPECTATION', shortDescription: { text: 'The errors differ from the expected ones' } },
] as const;

function faultsOf(report: FileReport): object[] {
  const { problem, published, notes, expectation } = report;
  const fault = (id: (typeof RUN_FAILURES)[number]['id'], text: string) => ({
    ruleId: id,
    ruleIndex: CATALOGUE.length + RUN_FAILURES.findIndex((row) => row.id === id),
    level: 'error',
    message: { text: visibleLines(text) },
  });
  return [
    ...(problem === undefined ? [] : [fault('UNREADABLE', `The file cannot be read to its end: ${problem}.`)]),
    ...(published === false ? [fault('NOT_PUBLISHED', `The recording was not published: ${notes.at(-1) ?? ''}.`)] : []),
    ...failures(report).map(({ id, title, text }) => fault(id, `${title}: ${text}.`)),
    ...(expectation === undefined || expectation.met ? [] : [fault('EXPECTATION', `${comparison(expectation)}.`)]),
  ];
}

function invocation(reports: readonly FileReport[]): object {
  const unreadable = reports.flatMap((report) =>
    report.problem === undefined ? [] : [`${report.file}: ${report.problem}`],
  );
  return {
    executionSuccessful: unreadable.length === 0,
    toolExecutionNotifications: unreadable.map((text) => ({ level: 'error', message: { text: visibleLines(text) } })),
  };
}

function result(report: FileReport, artifact: number, record: FileRecord): object {
  const { byteOffset } = record.evidence.first;
  return {
    ruleId: String(record.error_code),
    ruleIndex: CATALOGUE.findIndex((row) => row.code === record.error_code),
    level: LEVELS[record.severity],
    message: { text: visibleLines(record.description) },
    locations: [locationOf(report, artifact, byteOffset)],
    occurrenceCount: record.count,
    // Without one, GitHub derives it from the lines of the file, which a recording does not have.
    partialFingerprints: { primaryLocationLineHash: fingerprint(report, record) },
    ...(report.known === undefined
      ? {}
      : { baselineState: report.known.includes(record.error_code) ? 'unchanged' : 'new' }),
    properties: {
      streamTimeMs: record.stream_time_ms,
      observed: record.observed,
      worst: record.worst,
      limit: record.limit,
      unit: record.unit,
      clause: record.clause,
    },
  };
}

/** Fingerprint that each run gives to one fault of a file: file, code, and the number among those of the code. */
function fingerprint({ file, errors }: FileReport, record: FileRecord): string {
  const number = errors.filter(({ error_code: code }) => code === record.error_code).indexOf(record) + 1;
  return `${Buffer.from(`${file} ${record.error_code}`).toString('base64url')}:${number}`;
}

function locationOf(report: FileReport, artifact: number, byteOffset = -1): object {
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(report.file), index: artifact },
      // GitHub shows only results with a line; a recording has one.
      region: { startLine: 1, ...(byteOffset >= 0 ? { byteOffset } : {}) },
    },
  };
}

/** A relative reference, which viewers resolve against the root of the report; `stdin` for standard input. */
function uriOf(file: string): string {
  if (file === '-') return 'stdin';
  // Lone surrogates, which Windows allows in file names, cannot be encoded in a URI.
  const text = file
    .replace(/\p{Surrogate}/gu, '\u{fffd}')
    .split('\\')
    .join('/');
  const path = text.split('/').map(encodeURIComponent).join('/');
  return text.startsWith('/') ? `file://${path}` : path;
}

/** The report as SARIF 2.1.0 (OASIS): the catalogue as rules, each record as a result at the packet that proves it. */
import type { Severity } from '../../spec/error-record.js';
import { CATALOGUE } from '../../spec/errors.js';
import type { FileRecord, FileReport } from '../validate/report.js';

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
        tool: { driver: { name: 'Airlock', version: toolVersion, rules: CATALOGUE.map(rule) } },
        invocations: [invocation(reports)],
        artifacts: reports.map((report) => ({ location: { uri: uriOf(report.file) }, length: report.bytes })),
        results: reports.flatMap((report, index) => report.errors.map((record) => result(report, index, record))),
        columnKind: 'utf16CodeUnits',
      },
    ],
  };
  return `${JSON.stringify(content, null, 2)}\n`;
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

function invocation(reports: readonly FileReport[]): object {
  const unreadable = reports.flatMap((report) =>
    report.problem === undefined ? [] : [`${report.file}: ${report.problem}`],
  );
  return {
    executionSuccessful: unreadable.length === 0,
    toolExecutionNotifications: unreadable.map((text) => ({ level: 'error', message: { text } })),
  };
}

function result(report: FileReport, artifact: number, record: FileRecord): object {
  const { byteOffset } = record.evidence.first;
  return {
    ruleId: String(record.error_code),
    ruleIndex: CATALOGUE.findIndex((row) => row.code === record.error_code),
    level: LEVELS[record.severity],
    message: { text: record.description },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(report.file), index: artifact },
          ...(byteOffset >= 0 ? { region: { byteOffset } } : {}),
        },
      },
    ],
    occurrenceCount: record.count,
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

/** A relative reference, so that a viewer finds the file beside the report's root; standard input has a name of its own. */
function uriOf(file: string): string {
  if (file === '-') return 'stdin';
  // Half a character, of which Windows makes names, has no place in a URI.
  const text = file
    .replace(/\p{Surrogate}/gu, '\u{fffd}')
    .split('\\')
    .join('/');
  const path = text.split('/').map(encodeURIComponent).join('/');
  return text.startsWith('/') ? `file://${path}` : path;
}

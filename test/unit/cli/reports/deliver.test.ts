import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import AjvDraft04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { validateXML } from 'xmllint-wasm';
import { runCli } from '../../../support/cli.js';
import { flvFile } from '../../../support/flv-writer.js';
import { folderOfFile } from '../../../support/folders.js';
import { synthStream } from '../../../support/synth-stream.js';

const ROOT = join(import.meta.dirname, '../../../..');
const folder = folderOfFile('airlock-reports-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A clean file, one with errors, and an unreadable one whose name needs escaping in XML and URIs. */
const FILES = ['clean.flv', 'wrong.flv', 'a & <b> "ü".flv'];

beforeAll(() => {
  const contents = [
    flvFile(synthStream({ durationMs: 5000 })),
    flvFile(synthStream({ durationMs: 12_000, keyFrameIntervalMs: 6000, width: 640, height: 480 })),
    Buffer.from('FLV nonsense'),
  ];
  for (const [at, name] of FILES.entries()) writeFileSync(join(folder, name), contents[at] ?? '');
});

const report = async (...args: string[]) => (await runCli(['validate', ...FILES, ...args], { cwd: folder })).stdout;

function faults(schema: object, value: unknown): unknown {
  // The schema of SARIF is written in draft 4 of JSON Schema, ours in draft 7.
  const isDraft4 = JSON.stringify(schema).includes('draft-04');
  const Validator = (isDraft4 ? AjvDraft04 : Ajv) as typeof Ajv;
  const ajv = new Validator({ strict: false, allErrors: true, logger: false, unicodeRegExp: false });
  (addFormats as unknown as (ajv: Ajv) => void)(ajv);
  const check = ajv.compile(schema);
  return check(value) ? [] : check.errors;
}

test('JSON conforms to docs/validate.schema.json', async () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'docs/validate.schema.json'), 'utf8'));
  const value = JSON.parse(await report('--format', 'json'));
  expect(faults(schema, value)).toEqual([]);
  expect(value.summary).toEqual({ files: 3, passed: 1, with_warnings: 0, with_errors: 1, unreadable: 1, failed: 2 });
  expect(faults(schema, { ...value, surplus: 1 })).not.toEqual([]);
});

test('SARIF conforms to the schema of SARIF 2.1.0', async () => {
  const path = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
  const schema = JSON.parse(readFileSync(path, 'utf8'));
  const value = JSON.parse(await report('--format', 'sarif'));
  expect(faults(schema, value)).toEqual([]);
  const [run] = value.runs;
  const gap = run.results.find((result: { ruleId: string }) => result.ruleId === '6208');
  expect(gap).toMatchObject({
    level: 'error',
    locations: [{ physicalLocation: { artifactLocation: { uri: 'wrong.flv' } } }],
  });
  expect(run.tool.driver.rules[gap.ruleIndex].id).toBe('6208');
  expect(run.artifacts.map((each: { location: { uri: string } }) => each.location.uri)).toContain(
    'a%20%26%20%3Cb%3E%20%22%C3%BC%22.flv',
  );
  expect(run.invocations[0]).toMatchObject({
    executionSuccessful: false,
    toolExecutionNotifications: [{ level: 'error' }],
  });
  expect(faults(schema, { ...value, version: '1' })).not.toEqual([]);
});

test('SARIF has results for run failures other than rules, since viewers show no notifications', async () => {
  writeFileSync(join(folder, 'none.json'), '[]');
  const [run] = JSON.parse(await report('--format', 'sarif', '--expect', 'none.json')).runs;
  const results = run.results as {
    ruleId: string;
    ruleIndex: number;
    message: { text: string };
    locations: unknown[];
  }[];
  const others = results.filter(({ ruleId }) => !/^\d/.test(ruleId));
  expect(others.map(({ ruleId, message }) => [ruleId, message.text])).toEqual([
    ['EXPECTATION', 'missing: none; unexpected: 6205 6207 6208 6210.'],
    ['UNREADABLE', expect.stringMatching(/^The file cannot be read to its end: .+\.$/)],
  ]);
  for (const { ruleId, ruleIndex, locations } of others) {
    expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
    expect(locations).toEqual([
      {
        physicalLocation: {
          artifactLocation: expect.objectContaining({ uri: expect.any(String) }),
          region: { startLine: 1 },
        },
      },
    ]);
  }
});

describe('JUnit', () => {
  const schema = readFileSync(join(ROOT, 'test/support/junit.xsd'), 'utf8');
  const check = (xml: string) => validateXML({ xml: [{ fileName: 'report.xml', contents: xml }], schema: [schema] });

  test('conforms to the XML schema that CI systems read', async () => {
    const xml = await report('--format', 'junit');
    expect((await check(xml)).errors).toEqual([]);
    expect((await check(xml.replace('<testcase ', '<testcase surplus="1" '))).valid).toBe(false);
    expect(xml).toMatch(
      /<testsuite name="wrong\.flv"[^>]*>[\s\S]*<failure type="KEY_FRAME_INTERVAL_TOO_LONG" message="\[6208 /,
    );
    expect(xml).toContain('name="a &amp; &lt;b&gt; &quot;ü&quot;.flv"');
  });

  test('escapes special characters in names, and those that XML forbids', async () => {
    const name = 'new\nline ]]> "\u0001".flv';
    writeFileSync(join(folder, name), 'FLV nonsense');
    const xml = (await runCli(['validate', name, '--format', 'junit'], { cwd: folder })).stdout;
    expect((await check(xml)).errors).toEqual([]);
    expect(xml).toContain('<testsuite name="new\\nline ]]&gt; &quot;\\x01&quot;.flv"');
  });

  test('has correct counts and fails warnings when they fail the run', async () => {
    const count = (xml: string, tag: string) => xml.match(new RegExp(`<${tag}[ />]`, 'g'))?.length ?? 0;
    const attribute = (xml: string, name: string) =>
      Number(new RegExp(`<testsuites[^>]* ${name}="(\\d+)"`).exec(xml)?.[1]);
    const plain = await report('--format', 'junit');
    expect(attribute(plain, 'tests')).toBe(count(plain, 'testcase'));
    expect(attribute(plain, 'failures')).toBe(count(plain, 'failure'));
    expect(attribute(plain, 'errors')).toBe(count(plain, 'error'));
    const skipped = [...plain.matchAll(/<testsuite [^>]*skipped="(\d+)"/g)].map(([, number]) => Number(number));
    expect(skipped.reduce((sum, number) => sum + number)).toBe(count(plain, 'skipped'));
    const strict = await report('--format', 'junit', '--fail-on', 'warning');
    expect(count(strict, 'failure')).toBeGreaterThan(count(plain, 'failure'));
  });

  test('the comparison decides when there is an expectation', async () => {
    writeFileSync(join(folder, 'expected.json'), '[6208]');
    const { stdout, code } = await runCli(['validate', 'wrong.flv', '--expect', 'expected.json', '--format', 'junit'], {
      cwd: folder,
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/failures="1"/);
    expect(stdout).toMatch(/<failure type="EXPECTATION" message="missing: none; unexpected: 6205 6207 6210"/);
  });
});

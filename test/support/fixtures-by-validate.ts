/** Fixtures through `airlock validate`, as in a CI job: the verdict is that of `expected.json`. */
import { Readable } from 'node:stream';
import { runCli } from './cli.js';
import { differences, expectedRecords, type Found, judgeAsFile, linesOf, seenIn } from './fixture-run.js';
import { expectationPath, type Fixture, flvPieces, messagesOf } from './fixtures.js';

interface Report {
  readonly files: readonly {
    readonly outcome: string;
    readonly problem?: string;
    readonly expectation?: { readonly missing: readonly number[]; readonly unexpected: readonly number[] };
    readonly errors: readonly {
      readonly error_code: number;
      readonly stream_time_ms: number;
      readonly cleared_stream_time_ms?: number;
      readonly description: string;
      readonly severity: string;
      readonly count: number;
      readonly observed: unknown;
      readonly worst: unknown;
      readonly limit: unknown;
    }[];
  }[];
}

/** Declares a test for each fixture. */
export function testByValidate(fixtures: readonly Fixture[]): void {
  test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))('%s', async (name, fixture) => {
    const { expected } = fixture;
    const stdin = Readable.from(flvPieces(await messagesOf(fixture)));
    const args = ['validate', '-', '--format', 'json', '--expect', expectationPath(name)];
    const { code, stdout } = await runCli(args, { stdin });
    const report = (JSON.parse(stdout) as Report).files[0];
    if (expected.unreadable !== undefined) {
      expect({ code, problem: report?.problem }).toEqual({
        code: 2,
        problem: expect.stringContaining(expected.unreadable),
      });
      return;
    }
    const found: Found[] = (report?.errors ?? []).map((record) => ({
      code: record.error_code,
      atMs: record.stream_time_ms,
      clearedMs: record.cleared_stream_time_ms,
      text: record.description,
      seen: seenIn(record),
    }));
    expect(differences(found, expectedRecords(expected, { arrival: false, has: ['decoder'] }))).toEqual([]);
    // In memory there are no decoded pictures and no target of loudness.
    const needs = expected.errors.flatMap((record) => (record.needs === undefined ? [] : [record.code]));
    const isSure = ({ code }: Found): boolean => !needs.includes(code);
    const inMemory = judgeAsFile(fixture, await messagesOf(fixture)).filter(isSure);
    expect(linesOf(found.filter(isSure))).toEqual(linesOf(inMemory));
    // `--expect` must ignore codes that only a connection can raise; `validate` has no loudness target here.
    if (expected.errors.some(({ live_only, needs }) => live_only === true || needs === 'target')) return;
    expect({ code, expectation: report?.expectation }).toMatchObject({
      code: 0,
      expectation: { missing: [], unexpected: [] },
    });
  });
}

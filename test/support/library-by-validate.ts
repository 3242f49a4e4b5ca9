/** Recordings through the library, and through `airlock validate`: the same element of `files`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJudge, type FileResult, validateFile } from '../../src/library/index.js';
import { decodePictureNow } from '../../src/probe/sample-decoder.js';
import { findTools } from '../../src/probe/tool-paths.js';
import { runCli } from './cli.js';
import { type Fixture, flvPieces, messagesOf } from './fixtures.js';

const { ffmpeg } = findTools({});
/** The decoder that `validate` has. */
const decode = (flv: Uint8Array) => decodePictureNow(ffmpeg, flv);

/** Sizes of the pieces that are written, over and over. */
const PIECES = [1, 3, 14, 1_500, 100_000, 65_536];
const NEEDS_PICTURE = new Set([6811, 6812]);

export async function resultOfValidate(path: string): Promise<FileResult> {
  const { stdout } = await runCli(['validate', path, '--format', 'json']);
  return JSON.parse(stdout).files[0];
}

/** A file of any container, without the decoder: only rules that need a picture may differ. */
export async function expectEqualFile(path: string): Promise<FileResult> {
  const expected = await resultOfValidate(path);
  expect(withoutPictures(plain(await validateFile(path)))).toEqual(withoutPictures(expected));
  return expected;
}

/** Both, with the decoder, whole and in pieces; and without it, where only rules that need a picture may differ. */
export async function expectEqual(path: string, bytes: Uint8Array): Promise<void> {
  const expected = await resultOfValidate(path);
  const found = await validateFile(path, { decode });
  expect(plain(found)).toEqual(expected);
  const { bytes: _read, ...pushed } = plain(pushedResult(path, bytes));
  const { bytes: _size, ...whole } = expected;
  expect(pushed).toEqual(whole);
  expect(withoutPictures(plain(await validateFile(path)))).toEqual(withoutPictures(expected));
}

function pushedResult(name: string, bytes: Uint8Array): FileResult {
  const judge = createJudge({ name, decode });
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = PIECES[i % PIECES.length] ?? 1;
    judge.write(bytes.subarray(at, at + size));
    at += size;
  }
  return judge.end();
}

/** As JSON has it. */
function plain(result: FileResult): FileResult {
  return JSON.parse(JSON.stringify(result));
}

function withoutPictures({ rules, errors, notes, stream, outcome: _sum, ...result }: FileResult) {
  const { picture: _shown, ...measured } = stream ?? {};
  return {
    ...result,
    stream: measured,
    rules: rules.filter(({ code }) => !NEEDS_PICTURE.has(code)),
    errors: errors.filter(({ error_code }) => !NEEDS_PICTURE.has(error_code)),
    notes: notes.filter((note) => !/decoder/.test(note)),
  };
}

/** Declares a test for each fixture. */
export function testByLibrary(fixtures: readonly Fixture[], folder: string): void {
  test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))('%s', async (name, fixture) => {
    const bytes = Buffer.concat([...flvPieces(await messagesOf(fixture))]);
    const path = join(folder, `${name}.flv`);
    writeFileSync(path, bytes);
    await expectEqual(path, bytes);
  });
}

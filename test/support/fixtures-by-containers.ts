/** Fixtures remuxed to other containers: read with and without ffmpeg, they give the same report. */
import { execFileSync } from 'node:child_process';
import { createWriteStream, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { reportDifferences } from './container-findings.js';
import { type Fixture, flvPieces, messagesOf } from './fixtures.js';

/** Hours of a stream are the same packets again and again. */
const LARGEST_BYTES = 40_000_000;

/** Declares a test for each fixture. `known`: names of files that differ, for a reason that docs/readers.md gives. */
export function testByContainers(fixtures: readonly Fixture[], folder: string, known: ReadonlySet<string>): void {
  test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))('%s', async (name, fixture) => {
    const flv = join(folder, 'stream.flv');
    const written = await writeFlv(fixture, flv);
    const differing: string[] = [];
    for (const ending of written ? endingsOf(fixture) : []) {
      const path = join(folder, `stream.${ending}`);
      remux(flv, path);
      if (!existsSync(path) || statSync(path).size === 0) continue;
      const found = await reportDifferences(path);
      if (found.length > 0 && !known.has(`${name}.${ending}`)) differing.push(`${ending}: ${found.join('; ')}`);
    }
    expect(differing).toEqual([]);
  });
}

/** Pictures of synthetic streams cannot be decoded, so that ffmpeg has no decode times for them in Matroska. */
const endingsOf = ({ recipe }: Fixture): string[] => (recipe.kind === 'synth' ? ['mp4', 'ts'] : ['mp4', 'mkv', 'ts']);

/** False: it is too large. */
async function writeFlv(fixture: Fixture, path: string): Promise<boolean> {
  let bytes = 0;
  const messages = await messagesOf(fixture);
  await pipeline(Readable.from(pieces()), createWriteStream(path));
  return bytes <= LARGEST_BYTES;

  function* pieces(): Generator<Buffer> {
    for (const piece of flvPieces(messages)) {
      bytes += piece.length;
      if (bytes > LARGEST_BYTES) return;
      yield piece;
    }
  }
}

/** ffmpeg refuses what a container cannot hold, and may leave a part of the file. */
function remux(flv: string, path: string): void {
  rmSync(path, { force: true });
  try {
    execFileSync('ffmpeg', ['-v', 'quiet', '-nostdin', '-i', flv, '-map', '0:v?', '-map', '0:a?', '-c', 'copy', path], {
      stdio: 'ignore',
    });
  } catch (error) {
    if (!(error instanceof Error && 'status' in error)) throw error;
  }
}

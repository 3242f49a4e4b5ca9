/** The thread of `ReadAhead`. */
import { readSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { PieceWriter, type SharedPieces } from './piece-ring.js';
import { PieceSource } from './piece-source.js';

export interface AheadTask {
  /** Open for as long as the thread is not stopped. */
  readonly file: number;
  readonly pieces: SharedPieces;
  readonly minSkipBytes: number;
}

function readPieces({ file, pieces, minSkipBytes }: AheadTask): void {
  const writer = new PieceWriter(pieces);
  const start = writer.waitForStart();
  const source = new PieceSource(
    writer,
    (bytes, at, size, position) => readSync(file, bytes, at, size, position),
    start,
    minSkipBytes,
  );
  while (source.step());
  writer.flush();
}

readPieces(workerData as AheadTask);

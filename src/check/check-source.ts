/** Judges a file that is read where it is needed, wherever it is. */
import type { ByteSource, StopSignal } from '../bytes/byte-source.js';
import { checkContainer } from './container-check.js';
import { type FileResult, type Progress, unreadable } from './file-report.js';
import { FlvCheck, type FlvCheckOptions } from './flv-check.js';
import { PROGRESS_MS } from './limits.js';
import { withProfile } from './profile.js';
import { ReadBuffers, SparseReads } from './sparse-reads.js';

export interface SourceOptions extends Omit<FlvCheckOptions, 'fileBytes' | 'mode' | 'collects'> {
  /** Called for each second of the stream, as far as its bytes are read in pieces that small, and at least each 64 reads. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** An AbortSignal: the promise is rejected with its `reason`. */
  readonly signal?: StopSignal | undefined;
}

const READS_PER_PROGRESS = 64;
const NO_CONTAINER =
  'not FLV, MP4, MOV, Matroska, WebM or MPEG-TS: other containers are read by `npx airlock validate`';

/** `shown` names the file in the result. @throws what the source throws, and the reason of the signal */
export async function checkSource(source: ByteSource, shown: string, options: SourceOptions): Promise<FileResult> {
  stopIfAborted(options.signal);
  if (source.size === 0) return unreadable(shown, 'live', 'empty file');
  if (await isFlv(source)) return checkFlv(source, shown, options);
  const { profile, analysis, decode, onProgress, signal } = options;
  const result = await checkContainer(source, shown, { analysis, decode, onProgress, signal });
  if (result !== undefined) return withProfile(result, profile);
  return unreadable(shown, 'live', NO_CONTAINER);
}

async function isFlv(source: ByteSource): Promise<boolean> {
  const [f, l, v] = await source.read(0, 3);
  return f === 0x46 && l === 0x4c && v === 0x56;
}

async function checkFlv(source: ByteSource, shown: string, options: SourceOptions): Promise<FileResult> {
  const { onProgress, signal, ...judging } = options;
  const { size } = source;
  const check = new FlvCheck({ ...judging, fileBytes: size, collects: onProgress !== undefined });
  const buffers = new ReadBuffers();
  const plan = new SparseReads();
  let toldMs = 0;
  for (let reads = 1; check.bytes < size && !check.isBroken; reads++) {
    stopIfAborted(signal);
    buffers.reserve(plan.wanted, check);
    const place = buffers.buffer.subarray(buffers.used, buffers.used + plan.wanted);
    const bytes = await source.read(check.bytes, plan.wanted, place);
    // The file became shorter.
    if (bytes.length === 0) break;
    check.push(bytes);
    buffers.used += bytes.length;
    const skipped = plan.skip(Math.min(check.unwanted, size - check.bytes));
    if (skipped > 0) check.skip(skipped);
    if (onProgress === undefined) continue;
    if (check.streamTimeMs - toldMs < PROGRESS_MS && reads % READS_PER_PROGRESS !== 0) continue;
    toldMs = check.streamTimeMs;
    onProgress({ bytes: check.bytes, size, findings: check.takeFindings(), health: check.health });
  }
  return check.end(shown);
}

function stopIfAborted(signal: SourceOptions['signal']): void {
  if (signal?.aborted === true) throw signal.reason;
}

/**
 * The descriptors of one segment. Whole blocks go to the disk directly (O_DIRECT), because the copy into new pages of the page
 * cache costs up to a second of CPU a gigabyte (docs/decisions/0022-recordings-bypass-the-page-cache.md). An ordinary descriptor is opened
 * for what cannot go there: the rest at the end, writes while the disk is behind, and all of it where the file system refuses.
 */
import {
  closeSync,
  constants,
  close as fsClose,
  fdatasync as fsDatasync,
  open as fsOpen,
  writev as fsWritev,
  mkdir,
} from 'node:fs';
import { codeOf } from '../lib/errors.js';
import type { Log } from '../ports/index.js';
import { AlignedBuffers, BLOCK_BYTES, type BufferPool } from './aligned-buffers.js';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;
/** Linux only. */
const O_DIRECT: number | undefined = constants.O_DIRECT;
const REFUSALS = ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'];

type Done = (error: Error | null) => void;
type Written = (error: Error | null, bytes: number) => void;

/** The file of one segment. One call at a time, but `closeNow`. */
export interface RecordingFile {
  /** Writes but the last begin and end at multiples of it. */
  readonly blockBytes: number;
  create(done: Done): void;
  /** `throughCache`: also for what a direct write cannot take. `done` gets the number of bytes that were written. */
  write(pieces: readonly Uint8Array[], position: number, throughCache: boolean, done: Written): void;
  sync(done: Done): void;
  close(done: () => void): void;
  closeNow(): void;
}

/** The disk of a recorder: the file system, or a model that loses what was not synced. */
export interface RecordingDisk {
  readonly buffers: BufferPool;
  createFolder(path: string, done: Done): void;
  file(path: string): RecordingFile;
}

/** The disk of this machine. */
export function ownDisk(direct: DirectWrites, buffers: BufferPool = new AlignedBuffers()): RecordingDisk {
  return {
    buffers,
    createFolder: (path, done) => mkdir(path, { recursive: true, mode: 0o700 }, (error) => done(error)),
    file: (path) => new SegmentDisk(path, direct),
  };
}

/** Whether the files of one folder are written directly. */
export class DirectWrites {
  #isOn = O_DIRECT !== undefined;
  readonly #log: Pick<Log, 'info'>;

  constructor(log: Pick<Log, 'info'>) {
    this.#log = log;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** The file system or the memory does not allow it. Final: a file may then end anywhere in a block. */
  refused(error: Error): void {
    if (!this.#isOn) return;
    this.#log.info({ error }, 'no direct writes in the folder of recordings; they go through the page cache');
    this.#isOn = false;
  }
}

class SegmentDisk implements RecordingFile {
  readonly #path: string;
  readonly #direct: DirectWrites;
  #directDescriptor: number | undefined;
  #ordinaryDescriptor: number | undefined;

  constructor(path: string, direct: DirectWrites) {
    this.#path = path;
    this.#direct = direct;
  }

  get isOpen(): boolean {
    return this.#directDescriptor !== undefined || this.#ordinaryDescriptor !== undefined;
  }

  get blockBytes(): number {
    return this.#direct.isOn ? BLOCK_BYTES : 1;
  }

  /** Creates the file. */
  create(done: Done): void {
    const isDirect = this.#direct.isOn && O_DIRECT !== undefined;
    const flags = O_WRONLY | O_CREAT | O_EXCL | (isDirect ? O_DIRECT : 0);
    fsOpen(this.#path, flags, 0o600, (error, descriptor) => {
      if (error === null) {
        if (isDirect) this.#directDescriptor = descriptor;
        else this.#ordinaryDescriptor = descriptor;
        done(null);
      } else if (isDirect && isRefusal(error)) {
        this.#direct.refused(error);
        // The file may exist already: some file systems create it before they refuse.
        this.#openOrdinary(O_WRONLY | O_CREAT, done);
      } else {
        done(error);
      }
    });
  }

  #openOrdinary(flags: number, done: Done): void {
    fsOpen(this.#path, flags, 0o600, (error, descriptor) => {
      if (error === null) this.#ordinaryDescriptor = descriptor;
      done(error);
    });
  }

  write(pieces: readonly Uint8Array[], position: number, throughCache: boolean, done: Written): void {
    const descriptor = this.#directDescriptor;
    if (throughCache || !this.#direct.isOn || descriptor === undefined) {
      this.#writeThroughCache(pieces, position, done);
      return;
    }
    fsWritev(descriptor, pieces, position, (error, written = 0) => {
      if (error !== null && isRefusal(error)) {
        this.#direct.refused(error);
        this.#writeThroughCache(pieces, position, done);
        return;
      }
      done(error, this.#countedOf(written, pieces));
    });
  }

  #writeThroughCache(pieces: readonly Uint8Array[], position: number, done: Written): void {
    const descriptor = this.#ordinaryDescriptor;
    if (descriptor === undefined) {
      this.#openOrdinary(O_WRONLY, (error) => {
        if (error === null) this.#writeThroughCache(pieces, position, done);
        else done(error, 0);
      });
      return;
    }
    fsWritev(descriptor, pieces, position, (error, written = 0) => done(error, this.#countedOf(written, pieces)));
  }

  /** The disk became full in the middle of a block: what is written again begins at a block. */
  #countedOf(written: number, pieces: readonly Uint8Array[]): number {
    const wanted = pieces.reduce((bytes, piece) => bytes + piece.length, 0);
    return written === wanted ? written : written - (written % this.blockBytes);
  }

  /** Both descriptors are of one file. */
  sync(done: Done): void {
    fsDatasync((this.#directDescriptor ?? this.#ordinaryDescriptor) as number, done);
  }

  close(done: () => void): void {
    const [first, second] = this.#takeDescriptors();
    if (first === undefined) done();
    else if (second === undefined) fsClose(first, () => done());
    else fsClose(first, () => fsClose(second, () => done()));
  }

  closeNow(): void {
    for (const descriptor of this.#takeDescriptors()) closeSync(descriptor);
  }

  #takeDescriptors(): number[] {
    const open = [this.#directDescriptor, this.#ordinaryDescriptor].filter((descriptor) => descriptor !== undefined);
    this.#directDescriptor = undefined;
    this.#ordinaryDescriptor = undefined;
    return open;
  }
}

/** The file system or the memory does not allow direct reads and writes. */
export function isRefusal(error: unknown): boolean {
  return REFUSALS.includes(codeOf(error));
}

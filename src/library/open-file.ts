/** Files of this machine as sources of bytes. */
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import type { ByteSource } from '../bytes/byte-source.js';

/** Reads of a few microseconds each, after which other work of the program has its turn. */
const READS_PER_TURN = 64;

type OpenFile = { close(): void } & (
  | { readonly source: ByteSource; reread(offset: number, size: number): Uint8Array }
  | { readonly stream: AsyncIterable<Uint8Array> }
);

/** @throws the error of the file system */
export function openFile(path: string): OpenFile {
  const file = openSync(path, 'r');
  const info = fstatSync(file);
  const close = () => closeSync(file);
  if (info.isDirectory()) {
    close();
    throw Object.assign(new Error('is a folder'), { code: 'EISDIR', syscall: 'read' });
  }
  if (!info.isFile()) return { stream: createReadStream(path, { fd: file, autoClose: false }), close };
  // Synchronous, because most reads are of a kilobyte: a thread takes ten times as long for one.
  const reread = (offset: number, size: number, bytes: Uint8Array = new Uint8Array(size)): Uint8Array =>
    bytes.subarray(0, readSync(file, bytes, 0, size, offset));
  let reads = 0;
  const source: ByteSource = {
    size: info.size,
    read: async (offset, length, into) => {
      if (++reads % READS_PER_TURN === 0) await turn();
      return reread(offset, length, into);
    },
  };
  return { source, reread, close };
}

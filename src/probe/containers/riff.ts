/** AVI and DivX: RIFF lists one after the other (OpenDML: one a gigabyte), each with its length. */
import { type FileBytes, missing } from './file-bytes.js';

const MOST_LISTS = 10_000;

export function isAvi(head: Buffer): boolean {
  return head.length >= 12 && head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'AVI ';
}

export function cutOffAvi(file: FileBytes): string | undefined {
  let at = 0;
  for (let lists = 0; lists < MOST_LISTS; lists++) {
    const head = file.read(at, 12);
    if (head.length < 12 || head.toString('latin1', 0, 4) !== 'RIFF') return undefined;
    const length = head.readUInt32LE(4);
    // Written when a recording is ended; before that it is 0.
    if (length === 0) return 'it was cut off, or its recording was not ended: its header says no length';
    if (length > file.size - at - 8) return missing('its list of frames', length, file.size - at - 8);
    at += 8 + length + (length % 2);
  }
  return undefined;
}

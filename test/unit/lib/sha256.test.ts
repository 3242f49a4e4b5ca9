/** SHA-256 without Node. */
import { createHash } from 'node:crypto';
import { sha256 } from '../../../src/lib/sha256.js';

test('equals the hash of Node at each length around two blocks, and for a long text', () => {
  const lengths = [...Array.from({ length: 135 }, (_, i) => i), 100_000];
  for (const length of lengths) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 0xff);
    expect([length, sha256(bytes)]).toEqual([length, createHash('sha256').update(bytes).digest('hex')]);
  }
});

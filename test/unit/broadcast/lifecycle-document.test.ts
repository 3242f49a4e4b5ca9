import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lifecycleDocument } from '../../../src/broadcast/lifecycle-document.js';

const path = join(import.meta.dirname, '..', '..', '..', 'docs', 'lifecycle.md');

test('docs/lifecycle.md is what the table says (UPDATE_DOCS=1 writes it)', () => {
  if (process.env.UPDATE_DOCS === '1') writeFileSync(path, lifecycleDocument());
  expect(readFileSync(path, 'utf8')).toBe(lifecycleDocument());
});

test('every status of the published diagram can be reached', () => {
  const text = lifecycleDocument();
  for (const status of [
    'LIVE',
    'LIVE_STOPPED',
    'PROCESSING',
    'VOD',
    'SCHEDULED_LIVE',
    'SCHEDULED_EXPIRED',
    'SCHEDULED_CANCELED',
  ]) {
    expect(text).toContain(`--> ${status}:`);
  }
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lifecycleDocument } from '../../support/lifecycle-document.js';

const path = join(import.meta.dirname, '..', '..', '..', 'docs', 'lifecycle.md');

test('docs/lifecycle.md matches the table (UPDATE_DOCS=1 regenerates it)', () => {
  if (process.env.UPDATE_DOCS === '1') writeFileSync(path, lifecycleDocument());
  expect(readFileSync(path, 'utf8')).toBe(lifecycleDocument());
});

test('reaches every status of the published diagram', () => {
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

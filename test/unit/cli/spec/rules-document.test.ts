/** docs/rules.md is what the catalogue says now. UPDATE_DOCS=1 writes it anew. */

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { CATALOGUE } from '../../../../src/rules/registry/catalogue.js';
import { rulesDocument } from '../../../support/rules-document.js';

const file = new URL('../../../../docs/rules.md', import.meta.url);

test('docs/rules.md is up to date', () => {
  const text = rulesDocument();
  if (process.env.UPDATE_DOCS === '1') writeFileSync(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('it has a section for each code, and links that lead there', () => {
  const text = rulesDocument();
  for (const { code, type } of CATALOGUE) {
    expect(text).toContain(`### ${code} ${type}\n`);
    expect(text).toContain(`(#${code}-${type.toLowerCase()})`);
  }
});

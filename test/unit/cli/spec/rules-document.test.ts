/** docs/rules.md and docs/rules/ are what the catalogue says now. UPDATE_DOCS=1 writes them anew. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { CATALOGUE } from '../../../../src/rules/registry/catalogue.js';
import { placeOfRule, rulesDocuments } from '../../../support/rules-document.js';

const docs = join(import.meta.dirname, '../../../../docs');

test('docs/rules.md and docs/rules are up to date', () => {
  const pages = rulesDocuments();
  if (process.env.UPDATE_DOCS === '1') {
    rmSync(join(docs, 'rules'), { recursive: true, force: true });
    mkdirSync(join(docs, 'rules'));
    for (const [path, text] of pages) writeFileSync(join(docs, path), text);
  }
  for (const [path, text] of pages) expect(readFileSync(join(docs, path), 'utf8')).toBe(text);
  const there = readdirSync(join(docs, 'rules')).map((name) => `rules/${name}`);
  expect(['rules.md', ...there].sort()).toEqual([...pages.keys()].sort());
});

test('each code has one section, and the overview links to it', () => {
  const pages = rulesDocuments();
  for (const entry of CATALOGUE) {
    const place = placeOfRule(entry);
    expect(pages.get('rules.md')).toContain(`[${entry.code}](${place})`);
    expect(pages.get(place.replace(/#.*/, ''))).toContain(`## ${entry.code} ${entry.type}\n`);
  }
  const sections = [...pages.values()].join('\n').match(/^## \d{4} /gm) ?? [];
  expect(sections).toHaveLength(CATALOGUE.length);
});

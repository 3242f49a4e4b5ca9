/** `airlock explain` and docs/rules for each code beyond the published document: meaning, bound, clearing and remedies. */
import { ANALYSIS_ENTRIES } from '../../../support/analysis-codes.js';
import { runCli } from '../../../support/cli.js';
import { rulesDocuments } from '../../../support/rules-document.js';

const rules = [...rulesDocuments().values()].join('\n');
const ALL = ['obs', 'streamlabs', 'ffmpeg', 'gstreamer', 'vmix', 'wirecast', 'larix', 'xsplit', 'hardware'];
/** Encoders whose settings for a narrow uplink and for a slow encoder are known. */
const OWN_REMEDIES: Readonly<Record<number, readonly string[]>> = {
  6902: ALL,
  6903: ALL,
  6905: ALL,
  6906: ['obs', 'streamlabs'],
};

test.each(ANALYSIS_ENTRIES.map((entry) => [entry.code, entry] as const))('%d', async (code, { type, title }) => {
  const { code: exit, stdout } = await runCli(['explain', String(code)]);
  expect(exit).toBe(0);
  for (const part of [type, 'Raised', 'Cleared', 'Judged by', 'Text', 'any encoder']) expect(stdout).toContain(part);
  expect(stdout.replace(/\s+/g, ' ')).toContain(title);
  for (const encoder of OWN_REMEDIES[code] ?? []) expect(stdout).toMatch(new RegExp(`^  ${encoder} +\\S`, 'm'));
  expect(rules).toContain(`## ${code} ${type}\n`);
});

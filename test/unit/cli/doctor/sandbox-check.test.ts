/** What `airlock doctor` says of the sandbox. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSandbox } from '../../../../src/cli/doctor/machine-checks.js';
import { folderOfFile } from '../../../support/folders.js';

const folder = folderOfFile('airlock-no-bwrap-');
const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});
afterAll(() => rmSync(folder, { recursive: true }));

test('reports the strong sandbox, and one that is off', async () => {
  expect(await checkSandbox('auto')).toMatchObject({ level: 'ok', finding: expect.stringMatching(/^strong/) });
  expect(await checkSandbox('off')).toMatchObject({ level: 'warn', finding: expect.stringMatching(/^off/) });
});

test('warns of the weak sandbox with the reason, and fails where the strong one is required', async () => {
  writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\necho "bwrap: namespaces are forbidden" >&2\nexit 1\n');
  chmodSync(join(folder, 'bwrap'), 0o755);
  process.env.PATH = folder;
  const weak = await checkSandbox('auto');
  expect(weak).toMatchObject({
    level: 'warn',
    finding: expect.stringContaining('weak, because bwrap: namespaces are forbidden'),
  });
  expect(weak.finding).toContain('can reach the network');
  // Root gives each run a user, all of whose processes end with the run.
  expect(weak.finding.includes('leave processes behind')).toBe(process.getuid?.() !== 0);
  const required = await checkSandbox('require');
  expect(required).toMatchObject({ level: 'fail', finding: expect.stringContaining('AIRLOCK_SANDBOX=require') });
});

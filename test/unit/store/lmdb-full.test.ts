import { execFileSync } from 'node:child_process';
import { startCrampedChild } from '../../support/child-process.js';
import { temporaryFolder } from '../../support/store-harness.js';

test('commits fail as unavailable while the disk is full and succeed when there is room', async () => {
  const folder = temporaryFolder();
  const child = startCrampedChild(2_048, 'store-full-child.ts', folder.path);
  try {
    const line = await child.line((text) => text.startsWith('full after'));
    expect(line).toMatch(/^full after [1-9]\d+, first 1, last 1$/);
    expect(child.lines).toContain('refused again');
    execFileSync('prlimit', ['--pid', String(child.process.pid), '--fsize=unlimited']);
    child.process.stdin?.write('go\n');
    expect(await child.line((text) => text.startsWith('room'))).toBe('room 1');
  } finally {
    await child.kill('SIGKILL');
    folder.remove();
  }
});

/** `airlock obs-profile` as typed, on the store of a server that does not run. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runCli } from '../../../support/cli.js';
import { folderOfFile } from '../../../support/folders.js';

const folder = folderOfFile('airlock-profile-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { AIRLOCK_DATA_DIR: join(folder, 'data'), AIRLOCK_PUBLIC_RTMPS_URL: 'rtmps://live.example:1936/live/' };
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCli([...args, '--format', 'json'], { env });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

test('writes a folder that OBS imports, readable by its owner only, and names unknown arguments', async () => {
  const owner = await json('owner', 'add', 'page', 'A page');
  const live = await json('live', 'create', '--owner', owner.id);
  const out = join(folder, 'out');
  const args = ['obs-profile', live.id, '--output', out, '--profile', '1080p60', '--video-bitrate', '6000'];
  const written = await runCli(args, { env });
  expect(written).toMatchObject({ code: 0, stderr: '' });
  expect(written.stdout).toContain(`Airlock-${live.id}: in OBS, Profile > Import`);
  const profile = join(out, `Airlock-${live.id}`);
  const service = JSON.parse(readFileSync(join(profile, 'service.json'), 'utf8'));
  expect(service.settings).toMatchObject({ server: 'rtmps://live.example:1936/live', service: 'Airlock' });
  expect(service.settings.key).toMatch(new RegExp(`^${live.id}-`));
  expect(JSON.parse(readFileSync(join(profile, 'streamEncoder.json'), 'utf8'))).toMatchObject({ bitrate: 6_000 });
  expect(readFileSync(join(profile, 'basic.ini'), 'utf8')).toContain('OutputCX=1920\nOutputCY=1080\n');
  expect(statSync(join(profile, 'service.json')).mode & 0o077).toBe(0);

  const unknown = await runCli(['obs-profile', live.id, '--output', out, '--profile', '4k'], { env });
  expect(unknown.code).not.toBe(0);
  expect(unknown.stderr).toContain('must be one of');
  expect((await runCli(['obs-profile', '12', '--output', out], { env })).code).not.toBe(0);
});

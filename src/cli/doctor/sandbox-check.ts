/** Runs the sandbox of ffmpeg and ffprobe, and names what it does not deny. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCage, type Sandbox } from '../../probe/cage/open-cage.js';
import { messageOf } from '../console/exit.js';
import { type CheckResult, fail, ok, warn } from './check.js';

const WHAT = 'sandbox';

export async function checkSandbox(sandbox: Sandbox): Promise<CheckResult> {
  if (sandbox === 'off')
    return warn(WHAT, 'off (AIRLOCK_SANDBOX): a hostile file that takes over ffmpeg has the rights of the server');
  const folder = mkdtempSync(join(tmpdir(), 'airlock-doctor-'));
  try {
    const { cage, problem } = await openCage(sandbox, folder);
    if (cage.kind === 'strong') return ok(WHAT, 'strong: ffmpeg and ffprobe run in bubblewrap');
    const reached = cage.hasOwnUser ? 'the network' : 'the network and the files of the server';
    const left = cage.endsAll
      ? ''
      : ', and leave processes behind that leave their session and clear their environment';
    return warn(WHAT, `weak, because ${problem}: a hostile file that takes over ffmpeg can reach ${reached}${left}`);
  } catch (error) {
    return fail(WHAT, messageOf(error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How this process runs ffmpeg and ffprobe. */
import { join } from 'node:path';
import { servesOthers } from '../../config/public-urls.js';
import type { Config } from '../../config/settings/schema.js';
import type { Log } from '../../ports/index.js';
import type { Cage } from '../../probe/cage/cage.js';
import { openCage } from '../../probe/cage/open-cage.js';
import type { ToolSettings } from '../../probe/tool-paths.js';

export function toolSettings(config: Config): ToolSettings {
  const { ffmpegPath, ffprobePath } = config;
  return { ffmpegPath, ffprobePath, servesOthers: servesOthers(config) };
}

/** The sandbox; its kind is logged once. @throws SandboxError */
export async function openSandbox({ config, log }: { config: Config; log: Log }, signal: AbortSignal): Promise<Cage> {
  const { cage, problem } = await openCage(config.sandbox, join(config.dataDir, 'tools'), { signal });
  const { kind, hasOwnUser } = cage;
  if (kind === 'strong') log.info({ sandbox: kind, hasOwnUser }, 'ffmpeg and ffprobe run in a sandbox');
  else if (kind === 'off')
    log.warn({ sandbox: kind }, 'ffmpeg and ffprobe run without a sandbox (AIRLOCK_SANDBOX=off)');
  else {
    const text = 'ffmpeg and ffprobe run in the weak sandbox: with limits, but with access to the network';
    log.warn({ sandbox: kind, hasOwnUser, problem }, `${text}${hasOwnUser ? '' : ' and the files of the server'}`);
  }
  return cage;
}

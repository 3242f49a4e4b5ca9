/** Checks one file against the specification of uploaded videos, with the probe and the rules of the server. */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unreadable } from '../../check/file-report.js';
import { uploadReport } from '../../check/upload-report.js';
import type { Log } from '../../ports/index.js';
import { limitsOnly } from '../../probe/cage/open-cage.js';
import { FileProbe, ProbeUnavailableError } from '../../probe/file-probe.js';
import { LimitedTools } from '../../probe/limited-tools.js';
import { Pool } from '../../probe/pool.js';
import type { ToolPaths } from '../../probe/tool-paths.js';
import { CliError, EXIT } from '../console/exit.js';
import { DAMAGED, isDamaged } from '../remux/remux.js';
import type { FileReport } from '../reports/report.js';
import { cutOff } from './cut-off.js';

/** @throws CliError without ffprobe */
export async function checkUpload(path: string, shown: string, tools: ToolPaths, log: Log): Promise<FileReport> {
  if (!statSync(path).isFile()) return unreadable(shown, 'upload', 'not a regular file');
  const folder = mkdtempSync(join(tmpdir(), 'airlock-probe-'));
  try {
    const probe = new FileProbe(await LimitedTools.open(tools, limitsOnly(), log), new Pool(1, 1));
    const probed = await probe.probe(path);
    const { video } = probed.facts;
    const fault =
      (await cutOff(path, tools.ffmpeg)) ??
      probed.facts.fault ??
      (video !== undefined && (await isDamaged(tools.ffmpeg, path)) ? DAMAGED : undefined);
    const { facts, container, lengthMs } = probed;
    return uploadReport(shown, { facts, container, bytes: statSync(path).size, lengthMs, problem: fault });
  } catch (error) {
    if (error instanceof ProbeUnavailableError) throw new CliError(error.message, EXIT.usage, { cause: error });
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks one file against the specification of uploaded videos, with the probe and the rules of the server. */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileRecord, fileRecord, outcomeOf, unreadable } from '../../check/file-report.js';
import type { FileFacts } from '../../facts/probed-file.js';
import type { RuleVerdict } from '../../judge/judge.js';
import { defined } from '../../lib/objects.js';
import type { Log } from '../../ports/index.js';
import { limitsOnly } from '../../probe/cage/open-cage.js';
import { FileProbe, ProbeUnavailableError } from '../../probe/file-probe.js';
import { LimitedTools } from '../../probe/limited-tools.js';
import { Pool } from '../../probe/pool.js';
import type { ToolPaths } from '../../probe/tool-paths.js';
import { fileRecords } from '../../rules/judging/file-records.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import { uploadReadable } from '../../rules/upload/readable.js';
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
    const errors = fileRecords(probed.facts, 0, String).map((body) => fileRecord(body, 0));
    const { video, audio } = probed.facts;
    const fault =
      (await cutOff(path, tools.ffmpeg)) ??
      probed.facts.fault ??
      (video !== undefined && (await isDamaged(tools.ffmpeg, path)) ? DAMAGED : undefined);
    return {
      file: shown,
      spec: 'upload',
      outcome: fault === undefined ? outcomeOf(errors) : 'unreadable',
      ...defined({ problem: fault }),
      notes:
        video !== undefined && audio === undefined
          ? ['The file has no audio, which is allowed for uploaded videos.']
          : [],
      container: probed.container,
      bytes: statSync(path).size,
      stream: {
        encoder: '',
        streamTimeMs: Math.round(probed.lengthMs),
        ...(video === undefined || video.width === 0 ? {} : { width: video.width, height: video.height }),
        ...(audio === undefined
          ? {}
          : { audioCodec: audio.codec, sampleRate: audio.sampleRate, channels: audio.channels }),
      },
      rules: verdicts(probed.facts, errors),
      errors,
    };
  } catch (error) {
    if (error instanceof ProbeUnavailableError) throw new CliError(error.message, EXIT.usage, { cause: error });
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const AUDIO = /^UPLOAD_AUDIO_/;

function verdicts(facts: FileFacts, errors: readonly FileRecord[]): RuleVerdict[] {
  return CATALOGUE.filter((row) => row.judgedBy === 'file').map(({ code, type, title, unit, severity }) => {
    const record = errors.find((each) => each.error_code === code);
    const lacksData =
      (facts.fault !== undefined && code !== uploadReadable.entry.code) ||
      (facts.audio === undefined && AUDIO.test(type));
    const judged = record !== undefined ? (severity === 'error' ? 'fail' : 'warn') : lacksData ? 'not-judged' : 'pass';
    return { code, type, title, judged, observed: record?.observed ?? null, limit: record?.limit ?? null, unit };
  });
}

/** The result of the upload rules for one file. */
import type { FileFacts } from '../facts/probed-file.js';
import type { RuleVerdict } from '../judge/judge-types.js';
import { defined } from '../lib/objects.js';
import { fileRecords } from '../rules/judging/file-records.js';
import { CATALOGUE } from '../rules/registry/catalogue.js';
import { uploadAspectRatio } from '../rules/upload/aspect-ratio.js';
import { uploadAudioBitrate } from '../rules/upload/audio-bitrate.js';
import { uploadReadable } from '../rules/upload/readable.js';
import { type FileRecord, type FileResult, fileRecord, outcomeOf } from './file-report.js';

export interface UploadSources {
  readonly facts: FileFacts;
  readonly container: string;
  readonly bytes: number;
  readonly lengthMs: number;
  /** Why the file could not be read to its end. */
  readonly problem: string | undefined;
  readonly notes?: readonly string[];
}

/** `shown` names the file. */
export function uploadReport(
  shown: string,
  { facts, container, bytes, lengthMs, problem, notes = [] }: UploadSources,
): FileResult {
  const errors = fileRecords(facts, 0, String).map((body) => fileRecord(body, 0));
  const { video, audio } = facts;
  const isSilent = video !== undefined && audio === undefined;
  return {
    file: shown,
    spec: 'upload',
    outcome: problem === undefined ? outcomeOf(errors) : 'unreadable',
    ...defined({ problem }),
    notes: [...(isSilent ? ['The file has no audio, which is allowed for uploaded videos.'] : []), ...notes],
    container,
    bytes,
    stream: {
      encoder: '',
      streamTimeMs: Math.round(lengthMs),
      ...(video === undefined || video.width === 0 ? {} : { width: video.width, height: video.height }),
      ...(audio === undefined
        ? {}
        : { audioCodec: audio.codec, sampleRate: audio.sampleRate, channels: audio.channels }),
    },
    rules: verdicts(facts, errors),
    errors,
  };
}

const AUDIO = /^UPLOAD_AUDIO_/;

function verdicts(facts: FileFacts, errors: readonly FileRecord[]): RuleVerdict[] {
  return CATALOGUE.filter((row) => row.judgedBy === 'file').map(({ code, type, title, unit, severity }) => {
    const record = errors.find((each) => each.error_code === code);
    const isFailed = severity === 'error' ? 'fail' : 'warn';
    const judged = record !== undefined ? isFailed : lacksFacts(facts, code, type) ? 'not-judged' : 'pass';
    return { code, type, title, judged, observed: record?.observed ?? null, limit: record?.limit ?? null, unit };
  });
}

function lacksFacts({ fault, video, audio }: FileFacts, code: number, type: string): boolean {
  if (fault !== undefined) return code !== uploadReadable.entry.code;
  if (code === uploadAspectRatio.entry.code) return video === undefined || video.width === 0;
  if (code === uploadAudioBitrate.entry.code && audio?.bitrateKbps === undefined) return true;
  return audio === undefined && AUDIO.test(type);
}

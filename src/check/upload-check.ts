/** Judges a file that is meant as an upload by the rules of uploads, without ffprobe. */
import type { ByteSource, StopSignal } from '../bytes/byte-source.js';
import { LAST_FRAME_UNKNOWN } from './container-check.js';
import { type FileResult, type Progress, unreadable } from './file-report.js';
import { uploadReport } from './upload-report.js';

export interface UploadCheckOptions {
  /** Aborts the next read. */
  readonly signal?: StopSignal | undefined;
  /** Called for each second of the file. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** `shown` names the file. @throws what the source throws, and the reason of the signal */
export async function checkUpload(
  source: ByteSource,
  shown: string,
  { signal, onProgress }: UploadCheckOptions = {},
): Promise<FileResult> {
  const { readUpload } = await import('../containers/upload-facts.js');
  const { size } = source;
  let readTo = 0;
  const reading: ByteSource = {
    size,
    read(offset, length, into) {
      readTo = Math.min(size, offset + length);
      return source.read(offset, length, into);
    },
  };
  const file = readUpload(reading, signal);
  let step = await file.next();
  for (; step.done !== true; step = await file.next()) {
    const streamTimeMs = Math.round(step.value);
    onProgress?.({ bytes: readTo, size, findings: [], health: { encoder: '', streamTimeMs } });
  }
  const { format, facts, lengthMs, problem, isEndOpen } = step.value;
  const { container } = format;
  if (facts === undefined) {
    return unreadable(
      shown,
      'upload',
      `there is no reader for ${container} here; \`npx airlock validate --spec upload\` judges it, with ffprobe`,
    );
  }
  const notes = [
    ...(facts.video?.isSizeUnknown === true ? [SIZE_UNKNOWN] : []),
    ...(isEndOpen && problem === undefined ? [LAST_FRAME_UNKNOWN] : []),
  ];
  return uploadReport(shown, { facts, container, bytes: size, lengthMs, problem: problem ?? facts.fault, notes });
}

const SIZE_UNKNOWN = 'The size of the pictures was not judged: only a decoder can tell it.';

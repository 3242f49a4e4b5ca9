/** Codes of the faults that the service itself notes. */
import { copyrightViolation } from '../service/copyright-violation.js';
import { publishRefused } from '../service/publish-refused.js';
import { recordingGap } from '../service/recording-gap.js';
import { recordingStopped } from '../service/recording-stopped.js';
import { streamInterrupted } from '../service/stream-interrupted.js';
import { streamTakenOver } from '../service/stream-taken-over.js';

export const SERVICE_CODES = {
  publishRefused: publishRefused.entry.code,
  streamInterrupted: streamInterrupted.entry.code,
  streamTakenOver: streamTakenOver.entry.code,
  recordingStopped: recordingStopped.entry.code,
  recordingGap: recordingGap.entry.code,
  copyrightViolation: copyrightViolation.entry.code,
} as const;

/** Codes of the faults that the service itself notes. */
import { backupAbsent } from '../service/backup-absent.js';
import { backupDiffers } from '../service/backup-differs.js';
import { backupOnAir } from '../service/backup-on-air.js';
import { copyrightViolation } from '../service/copyright-violation.js';
import { forwardBehind } from '../service/forward-behind.js';
import { forwardLost } from '../service/forward-lost.js';
import { forwardRefused } from '../service/forward-refused.js';
import { publishRefused } from '../service/publish-refused.js';
import { recordingGap } from '../service/recording-gap.js';
import { recordingStopped } from '../service/recording-stopped.js';
import { streamInterrupted } from '../service/stream-interrupted.js';
import { streamTakenOver } from '../service/stream-taken-over.js';

export const SERVICE_CODES = {
  publishRefused: publishRefused.entry.code,
  streamInterrupted: streamInterrupted.entry.code,
  streamTakenOver: streamTakenOver.entry.code,
  backupOnAir: backupOnAir.entry.code,
  backupDiffers: backupDiffers.entry.code,
  backupAbsent: backupAbsent.entry.code,
  recordingStopped: recordingStopped.entry.code,
  recordingGap: recordingGap.entry.code,
  forwardRefused: forwardRefused.entry.code,
  forwardLost: forwardLost.entry.code,
  forwardBehind: forwardBehind.entry.code,
  copyrightViolation: copyrightViolation.entry.code,
} as const;

/** By the finding of a forward. */
export const FORWARD_CODES = {
  refused: SERVICE_CODES.forwardRefused,
  lost: SERVICE_CODES.forwardLost,
  behind: SERVICE_CODES.forwardBehind,
} as const;

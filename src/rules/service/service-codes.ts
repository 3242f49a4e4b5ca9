/** Codes of the catalogue that no packet raises: the service notes them when they happen. */
export const NOTED = {
  streamInterrupted: 6503,
  streamTakenOver: 6504,
  recordingStopped: 6505,
  recordingGap: 6506,
  copyrightViolation: 6601,
} as const;

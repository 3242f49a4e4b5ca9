/** Limits of the copyright detector in the server, with their reasons. */
import { MATCH, PRINT } from '../../copyright/limits.js';

export const SOUND_SAMPLE = {
  /** Sound of one sample: one window, and what Chromaprint needs before its first item. A frame of AAC more. */
  lengthMs: Math.ceil(PRINT.leadMs + MATCH.windowItems * PRINT.itemMs) + 50,
  /** From the start of a sample to that of the next: the windows join. */
  stepMs: MATCH.windowItems * PRINT.itemMs,
  /** A longer gap, or a step back, starts a new sample. */
  gapMs: 1_000,
  /** 8 s at 128 kbps are 130 kB. */
  bytes: 192 * 1024,
  /** 8 s at 500 kbps. A stream above this is not compared. */
  bytesMax: 512 * 1024,
  /** Concurrent samples of one ingest process. */
  pending: 8,
} as const;

export const DETECTOR = {
  /** Streams that are followed; the one that was silent longest makes room. */
  streamsMax: 1_000,
  /** Prints read at a time. */
  readsAtOnce: 8,
  /** Objects per read of the store. */
  page: 500,
  /** Interval at which the references are read again, in case a message was lost. */
  reloadMs: 60_000,
  /** The state is written at this interval, and expires without. */
  stateMs: 5_000,
  stateLifeMs: 20_000,
  /** Reported matches of one stream in an hour: a stream made to match everything fills no list. */
  matchesPerHour: 20,
  /** Matches of one video whose pictures are compared: each decodes up to 20 s of two files. */
  witnessed: 3,
  /** Kept for the operator; the oldest are removed. */
  matchesKept: 10_000,
  /** Without the muxer, the job of a print looks again after this time. */
  unavailableRetryMs: 600_000,
  /** A video that is still being processed has no file yet. */
  notReadyRetryMs: 2_000,
} as const;

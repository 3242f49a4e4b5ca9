/** Limits of the copyright detector in the server, with their reasons. */
import { MATCH, PRINT } from '../copyright/limits.js';

export const SOUND_SAMPLE = {
  /** From the start of a sample of one window to that of the next: the windows join. */
  stepMs: MATCH.windowItems * PRINT.itemMs,
  /** Sound that Chromaprint needs before its first item, and a frame of AAC more. */
  leadMs: PRINT.leadMs + 50,
  /** A longer gap, or a step back, starts a new sample. */
  gapMs: 1_000,
  /** 192 kbps. */
  bytesPerMs: 24,
  /** 512 kbps. A stream above this is not compared. */
  bytesMaxPerMs: 64,
  /** Concurrent samples of one ingest process: as many as wait in the media process. */
  pending: 48,
} as const;

/** Length of a sample. */
export const sampleMs = (windows: number): number => Math.ceil(SOUND_SAMPLE.leadMs + windows * SOUND_SAMPLE.stepMs);

/** Key frames that are kept of a running broadcast, until its sound is found in a reference. */
export const KEY_FRAMES = {
  /** Enough for three alike in a row, and one that is flat or was not decoded. */
  kept: 4,
  /** Closer ones show the same picture. */
  everyMs: 1_500,
  /** Size of one sample; those of 1080p at 6 Mbps have some 200 kB. */
  bytes: 1024 * 1024,
  /** Size of all samples that a broadcast has. */
  bytesOfAll: 2 * 1024 * 1024,
  /** A match is reported without its pictures after this time. */
  waitMs: 5_000,
  /** Less, down to the least, so that the report follows the start of the content within this time. */
  reportMs: 18_500,
  waitLeastMs: 1_000,
} as const;

/** How the broadcasts share the time for sound. */
export const TURNS = {
  /** CPU time of the start of ffmpeg in its sandbox, of each sample, and of each of its windows. Corrected by what is measured. */
  startMs: 80,
  sampleMs: 5,
  windowMs: 8,
  /** Weight of one sample in the correction, and its bounds. */
  weight: 0.1,
  correction: { from: 0.2, to: 20 },
  /** Part of the share that is planned: samples come in bursts. */
  planned: 0.85,
  /** The longest sample. All rules of a match are met within so many windows. */
  windowsMax: 4,
  /** A broadcast without a sample for so much longer than planned has ended. */
  graceMs: 30_000,
  /** Samples of one broadcast that may come early, as after a stall of its connection. */
  burst: 3,
  /** Sound that cannot be decoded is tried again after this time. */
  failedPauseMs: 30_000,
} as const;

/** A day of sound against 50 hours of references takes minutes, and an index of 1,200 hours seconds to build. */
export const PACE = {
  /** Work without a pause; one step more may follow. Samples of broadcasts wait for it. */
  workMs: 20,
  /** After an index was built, the next build waits as long as this one took, and at most so long. */
  restMaxMs: 60_000,
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
  /** Without references the process ends when it has nothing to do, and its last state holds: longer than a broadcast runs. */
  lastStateLifeMs: 30 * 86_400_000,
  /** Reported matches of one broadcast in an hour, and of one video: what is made to match everything fills no list. */
  matchesPerHour: 20,
  /** Reported matches of all broadcasts of one owner in an hour. */
  matchesOfOwnerPerHour: 60,
  /** Matches of one video whose pictures are compared: each decodes up to 20 s of two files. */
  witnessed: 3,
  /** Kept for the operator. */
  matchesKept: 10_000,
  /** Removed beyond need: choosing them reads all. */
  matchesRoom: 200,
  /** Without the muxer, the job of a print looks again after this time. */
  unavailableRetryMs: 600_000,
  /** A video that is still being processed has no file yet. */
  notReadyRetryMs: 2_000,
} as const;

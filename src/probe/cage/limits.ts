/** Limits of one run of ffmpeg or ffprobe, and the users that runs get. */
import { availableParallelism } from 'node:os';

export interface CageLimits {
  readonly memoryKib: number;
  readonly processorSeconds: number;
  /** Size of each file that it writes. */
  readonly fileMib: number;
}

/** ffprobe writes to its pipe only. */
export const PROBE: CageLimits = { memoryKib: 1_500_000, processorSeconds: 60, fileMib: 1 };
/** Encoding 1080p needs some 700 MB. The CPU time allows for long files, the size for 8 hours at 70 Mbit/s. */
export const CONVERT: CageLimits = { memoryKib: 6_000_000, processorSeconds: 172_800, fileMib: 256 * 1024 };
/** A picture is at most 1280 wide. */
export const PICTURE: CageLimits = { memoryKib: 6_000_000, processorSeconds: 120, fileMib: 64 };
/** A key frame, or seconds of sound, of a running broadcast: 0.2 s of CPU at 1080p. It writes to its pipe only. */
export const SAMPLE: CageLimits = { memoryKib: 1_500_000, processorSeconds: 5, fileMib: 1 };
/** A thousand samples of sound, at some 20 ms each. It writes to its pipe only. */
export const KEPT: CageLimits = { memoryKib: 1_500_000, processorSeconds: 120, fileMib: 1 };
/** Decodes the sound of a file of hours: some 4 ms of CPU for each second. It writes to its pipe only. */
export const FULL_LOUDNESS: CageLimits = { memoryKib: 1_500_000, processorSeconds: 900, fileMib: 1 };
/** Copies a live stream of up to 8 hours into segments of seconds. */
export const PREVIEW: CageLimits = { memoryKib: 1_500_000, processorSeconds: 28_800, fileMib: 512 };

export const CAGE = {
  /** Processes and threads of one run: decoders and x264 start up to three threads for each processor. */
  processes: 64 + 8 * availableParallelism(),
  /** Sockets, pipes and files of one run; ffmpeg has a dozen open. */
  openFiles: 256,
  /** A server that runs as root gives each run a user of its own from this range, which systemd and Debian leave unused. */
  firstUser: 60_600,
  users: 500,
  /** Users that are tried before a run shares one: no machine has so many runs in a row of users at a time. */
  userTries: 64,
  /** A killed process is gone within milliseconds; one that waits for a disk takes longer. */
  endTries: 50,
  endPauseMs: 20,
  /** Checking a cage runs a shell once. */
  checkMs: 10_000,
} as const;

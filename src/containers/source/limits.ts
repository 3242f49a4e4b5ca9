/** Bounds of what a file may make its reader hold or repeat, each with its reason. */

/** Read at once. Large enough that the calls cost little, small enough that two tracks far apart in the file fit several times. */
export const BLOCK_BYTES = 512 * 1024;
/** Kept for the tracks of a file, which are read side by side. */
export const BLOCKS_KEPT = 24;
/** Settings of a track: hundreds of bytes in practice, kilobytes with many parameter sets. */
export const SETTINGS_BYTES_MAX = 64 * 1024;
/** Settings that a track changes between. */
export const ENTRIES_MAX = 16;
/** A frame cannot be larger in FLV, whose size field has 24 bits. */
export const FRAME_BYTES_MAX = 16 * 1024 * 1024 - 16;
/** Recorders write a handful of tracks. */
export const TRACKS_MAX = 100;
/** Boxes or elements of one level that are looked at: a fragmented recording of a day has two for each half second. */
export const PARTS_MAX = 400_000;
/** Clusters of a recording: each holds some hundred milliseconds at least. */
export const CLUSTERS_MAX = 2_000_000;
/** Frames without bytes: a table of a few bytes can describe four billion. */
export const EMPTY_FRAMES_MAX = 100_000;
/** Frames may refer to the same bytes; more than this many times the size of the file is an attack on its reader. */
export const SHARED_BYTES_FACTOR = 4;
/** Frames of a track, one after the other, behind the end of a truncated file: the rest lies there too, and a table of a few bytes can describe four billion. */
export const OUTSIDE_FRAMES_MAX = 10_000;
/** Frames that a frame may be shown after, although it is decoded before them: H.264 allows 16. */
export const REORDERED_MAX = 64;
/** Cuts of an editor. */
export const EDITS_MAX = 100_000;
/** Waiting frames of the other tracks, where a track pauses or is stored elsewhere: some seconds of a stream. */
export const WAITING_BYTES_MAX = 48 * 1024 * 1024;
export const WAITING_FRAMES_MAX = 20_000;
/** Fragments of the other tracks, where a track has no further fragment. */
export const RUNS_MAX = 100_000;

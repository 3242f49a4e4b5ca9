/** Numbers of the copyright detector, each with its reason. */

/** Sound as Chromaprint gives it: one number of 32 bits per item. */
export const PRINT = {
  /** Version of the algorithm, the input format and the layout of stored prints. Prints of another version are made again. */
  version: 1,
  sampleRate: 11_025,
  /** Distance of two items: a third of a frame of 4,096 samples at 11,025 Hz. */
  itemMs: 1_365_000 / 11_025,
  /** Sound needed before the first item: 20 overlapping frames. */
  leadMs: (4_096 + 19 * 1_365) / 11.025,
  bytesPerItem: 4,
} as const;

export const MATCH = {
  /** Items of one window: 5.3 s. Unrelated windows of this length differ in 0.49 of their bits, standard deviation 0.054. */
  windowItems: 43,
  /** Error rate at which a window counts: six standard deviations below chance. */
  errorRateMax: 0.15,
  /** Bit errors of four screened items, of 128 bits: twice the rate of a match, and below that of unrelated sound. */
  screenedMax: 44,
  /** Windows that do not overlap and point at the same place of one reference. */
  windows: 2,
  /** Two suffice at half of the permitted errors, which codecs leave. */
  sureShare: 0.5,
  /** With more errors: three that do not resemble themselves, or four. Held chords agree two or three times by chance. */
  windowsVaried: 3,
  windowsUnsure: 4,
  /** Offsets of two windows agree within this many items, and within this part of their distance: playback may run off speed. */
  agreeItems: 2,
  agreePart: 0.02,
  /** A match ends after this time without a window that confirms it. Also the longest distance of the two first windows. */
  endsAfterMs: 20_000,
  /** Silence and a steady tone repeat one item: a window with fewer distinct ones, or with more repeats, is skipped. */
  distinctItemsMin: 10,
  repeatsMax: 0.4,
  /**
   * Crowd noise, held chords and drum loops resemble themselves up to 3 s later, and such sound of others as well. The
   * more a window does, the fewer errors it may have: none at `selfErrorMin`, `errorRateMax` from 0.225 on, as in most music
   * with a melody and in speech.
   */
  selfLagItems: { from: 2, to: 24 },
  selfErrorMin: 0.13,
  errorPerSelfError: 1.6,
  /**
   * A reference that is only monitored matches with more errors too, as equalizers and talk leave: `windows` in a row.
   * Over 55.7 h of stream and every place of 98.5 h of unrelated references, three agreed once and four never.
   */
  far: { errorRateMax: 0.2, selfErrorFrom: 0.2, errorPerSelfError: 1.8, windows: 4 },
} as const;

export const INDEX = {
  /** Shorter references cannot give two windows. */
  shortestMs: 15_000,
  /** Up to here a scan of all items takes some 25 ms, and finds more than keys do. */
  scannedItems: Math.round((50 * 3_600_000) / PRINT.itemMs),
  /** Items of all references: 1,200 hours, some 290 MB with postings. The oldest references stay. */
  itemsMax: Math.round((1_200 * 3_600_000) / PRINT.itemMs),
  /** Leading bits of an item that are its key. */
  keyBits: 20,
  /** Places looked up per window, from the rarest keys on: frequent keys are those of silence, hum and hiss. */
  placesMax: 20_000,
  /** Places compared: those at which most keys agree, then those of the rarest keys. */
  comparedMax: 4_000,
  /** Items sorted at a time, in some 20 ms: between them the process does other work. */
  builtAtOnce: 500_000,
  /** Size of the table of votes. */
  voteBits: 17,
  /** Reported references per window: a stream made to match everything fills no list. */
  hitsMax: 8,
} as const;

export const STREAM = {
  /** References whose matches with one stream are followed at a time. */
  candidatesMax: 64,
  /** Searches of a sample beside those of its windows: a match needs one or two. */
  sureSearches: 4,
} as const;

/** Pictures as the second witness of a match. */
export const PICTURES = {
  /** Gray values of a side, and frequencies of which the hash is made. */
  size: 32,
  frequencies: 8,
  /** A key frame of a running broadcast, as it is decoded. */
  decoded: { width: 160, height: 90 },
  /** One at this distance, for at most this time: both places are known from the sound. */
  everyMs: 500,
  lengthMs: 20_000,
  /** Pictures of the other video before and after: sound places the match within 0.25 s, and frames fall between. */
  slack: 2,
  /** Bits of 64. */
  distanceMax: 8,
  /** Pictures in a row that must be alike. */
  running: 3,
  /** Standard deviation of the gray values below which a picture is flat: black, a title card. */
  deviationMin: 10,
} as const;

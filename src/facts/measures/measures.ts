/** Bits are those of the slices of a picture for each macroblock. */
export interface PictureMeasures {
  /** Mean of a second's inter pictures: nothing changes at all. */
  readonly stillBits: number;
  /** Complexity times 2^((QP - 26) / 6): still or nearly so. */
  readonly stillComplexity: number;
  /** A key frame of one color, or of a few. */
  readonly flatBitsCabac: number;
  readonly flatBitsCavlc: number;
  /** An inter picture with more than this changes the picture. */
  readonly changeBits: number;
  /** Key frames of a still picture have the same size up to this share. */
  readonly sameSize: number;
  /** Level from 0 to 255: no pixel of a black picture is brighter, apart from a share of them. */
  readonly blackLevel: number;
  readonly blackShare: number;
  /** Luma as coded: a key frame whose upper left corner is brighter is not black. */
  readonly darkCorner: number;
  /** Samples of key frames that are not flat: at most so many in a row, this far apart, and then one for each step. */
  readonly samples: number;
  readonly sampleMs: number;
  readonly sampleStepMs: number;
  /** Mean difference of two decoded key frames of a still picture, of 255. */
  readonly sameDifference: number;
  /** Between two equal key frames that confirm a still picture. */
  readonly compareMs: number;
  /** Least time from one decoded key frame to the next: a share of the time without a change, within these bounds. */
  readonly decodeMs: number;
  readonly decodeShare: number;
  readonly decodeMaxMs: number;
  /** After a key frame that could not be decoded. */
  readonly retryMs: number;
}

/** Captions in the pictures. */
export interface CaptionMeasures {
  /** Padding without text for longer than this means that the captions are lost. */
  readonly paddingMs: number;
  /** Pictures without any for longer than this mean it too, after a share of the pictures had them. */
  readonly absentMs: number;
  readonly constantShare: number;
}

export interface TimecodeMeasures {
  /** Jumps that must lie within the window. */
  readonly jumps: number;
  readonly windowMs: number;
  /** A code may be off by this many frames. */
  readonly frames: number;
}

/** Parameters of measurement: windows, caps and class borders. Passed in, since facts are independent of the rules' bounds. */
export interface Measures {
  /** A step of decode time beyond this, forward or backward, is a clock jump and not media time. */
  readonly advanceCapMs: number;
  /** Width of the buckets in which bytes and frames are counted. */
  readonly beatMs: number;
  /** A track without frames for longer than this has stopped flowing. */
  readonly flowGapMs: number;
  readonly frameRate: {
    readonly settleMs: number;
    readonly settleFps: number;
    readonly leave30Fps: number;
    readonly leave60Fps: number;
    readonly leaveMs: number;
    readonly meanMs: number;
    readonly droppedWindowMs: number;
  };
  readonly keyFrameWindowMs: number;
  /** Key frames of several tracks further apart do not fall together. */
  readonly tracksApartMs: number;
  readonly bitrateWindowMs: number;
  readonly bitrateLongWindowMs: number;
  readonly starvedWindowMs: number;
  readonly leadBaselineMs: number;
  /** A file at least and less than this long is measured over its whole where a window never filled. */
  readonly wholeFile: { readonly minMs: number; readonly maxMs: number };
  /** A longer delay of the server itself makes its other measurements of arrival doubtful. */
  readonly ownDelayMs: number;
  /** Beyond the published document. */
  readonly analysis: {
    readonly windowMs: number;
    /** Repeated stamps, and buffer underflows, that must lie within the window. */
    readonly duplicates: number;
    readonly underflows: number;
    /** Slices of a picture. */
    readonly slices: number;
    readonly audioStepMs: number;
    readonly picture: PictureMeasures;
  };
  /** Captions and cues, beyond the published document too. */
  readonly data: { readonly captions: CaptionMeasures; readonly timecode: TimecodeMeasures };
}

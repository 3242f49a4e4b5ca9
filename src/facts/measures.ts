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
  };
}

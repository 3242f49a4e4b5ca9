/** How facts are measured: windows, caps and class borders. Given from outside, since a fact does not know what is allowed. */
export interface Measures {
  /** A step of decode time beyond this, forward or back, is a jump of the clock and no media. */
  readonly advanceCapMs: number;
  /** Width of the buckets in which bytes and frames are counted. */
  readonly beatMs: number;
  /** A track that is silent for longer than this has stopped flowing. */
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
  readonly bitrateWindowMs: number;
  readonly bitrateLongWindowMs: number;
  readonly starvedWindowMs: number;
  readonly leadBaselineMs: number;
}

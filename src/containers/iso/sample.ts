/** A sample of a track of MP4, in units of the track and before any edit. One object is reused. */
export interface Sample {
  decodeTime: number;
  /** Composition offset. */
  offset: number;
  duration: number;
  at: number;
  size: number;
  isKey: boolean;
  /** Number of its sample entry, from 1. */
  description: number;
}

export const newSample = (): Sample => ({
  decodeTime: 0,
  offset: 0,
  duration: 0,
  at: 0,
  size: 0,
  isKey: false,
  description: 1,
});

export interface Samples {
  /** Fills in the next sample. False: there is none. */
  next(sample: Sample): Promise<boolean>;
}

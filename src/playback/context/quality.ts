/**
 * The video tracks of a broadcast as separate streams for viewers: the first one has the ID of the live video, another one
 * that ID with its track. node-media-server ends a stream's name at a dot.
 */
const STREAM = /^(\d{1,19})_([1-9])$/;

export interface Quality {
  readonly liveVideoId: string;
  /** 0: the first one. */
  readonly track: number;
}

export function streamIdOf({ liveVideoId, track }: Quality): string {
  return track === 0 ? liveVideoId : `${liveVideoId}_${track}`;
}

export function qualityOf(streamId: string): Quality {
  const [, liveVideoId = streamId, track = '0'] = STREAM.exec(streamId) ?? [];
  return { liveVideoId, track: Number(track) };
}

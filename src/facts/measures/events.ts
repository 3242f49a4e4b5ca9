/** Events caused by a packet, a tick or a change of the connection, as bits of a mask. Each rule lists the bits that it handles. */

/** A coded video frame of the first track. */
export const VIDEO_FRAME = 1;
/** A coded audio frame of the first track. */
export const AUDIO_FRAME = 1 << 1;
/** A video frame that is an IDR or a recovery point with recovery_frame_cnt 0. */
export const KEY_FRAME = 1 << 2;
/** Codec or parameter sets of the video were received, for the first time or again. */
export const VIDEO_CONFIG = 1 << 3;
/** Codec or configuration of the audio was received, for the first time or again. */
export const AUDIO_CONFIG = 1 << 4;
/** The video's decode time entered the next bucket (`Measures.beatMs`): its windows have moved. */
export const VIDEO_BEAT = 1 << 5;
export const AUDIO_BEAT = 1 << 6;
/** The periodic tick of the wall clock. */
export const TICK = 1 << 7;
export const CONNECT = 1 << 8;
export const DISCONNECT = 1 << 9;
export const END = 1 << 10;
/** A decode time went backward or jumped. */
export const DISORDER = 1 << 11;
/** onMetaData was read. */
export const METADATA = 1 << 12;
/** The broadcast went LIVE: the current settings become the reference for later changes. */
export const GO_LIVE = 1 << 13;
/** The frame-rate class was determined or changed. */
export const RATE_CLASS = 1 << 14;
/** A packet of a track that was not agreed, or a key frame without a counterpart in another track (`MultitrackFacts`). */
export const MULTITRACK = 1 << 15;
/** The packet shows a fault beyond the published document (`AnalysisFacts.flaws`). */
export const FLAW = 1 << 16;
/** A second of arrival is complete (`DeliveryFacts`). */
export const SECOND = 1 << 17;
/** The encoder sent measurements of its own (`PerformanceFacts`). */
export const PERFORMANCE = 1 << 18;
/** The level of a sampled audio frame is known (`AnalysisFacts.levels`). */
export const AUDIO_LEVEL = 1 << 19;

/** A second of pictures is complete, a key frame came, or one was decoded (`PictureFacts`). */
export const PICTURE = 1 << 20;
/** A picture has captions with text (`DataFacts.captions`). */
export const CAPTIONS = 1 << 21;
/** A time code was compared with the timestamps (`DataFacts.timecode`). */
export const TIMECODE = 1 << 22;

/** Either track's windows have moved. */
export const BEAT = VIDEO_BEAT | AUDIO_BEAT;

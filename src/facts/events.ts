/** What one packet, tick or change of the connection brought about, as bits of a mask. Rules say which bits they look at. */

/** A coded video frame of the first track. */
export const VIDEO_FRAME = 1;
/** A coded audio frame of the first track. */
export const AUDIO_FRAME = 1 << 1;
/** A video frame that is an IDR or a recovery point with recovery_frame_cnt 0. */
export const KEY_FRAME = 1 << 2;
/** What is known of the video's codec or parameter sets was said, for the first time or again. */
export const VIDEO_CONFIG = 1 << 3;
/** The same for audio. */
export const AUDIO_CONFIG = 1 << 4;
/** The video's decode time entered another tenth of a second: its windows have moved. */
export const VIDEO_BEAT = 1 << 5;
export const AUDIO_BEAT = 1 << 6;
/** The clock of the process moved. */
export const TICK = 1 << 7;
export const CONNECT = 1 << 8;
export const DISCONNECT = 1 << 9;
export const END = 1 << 10;
/** A decode time went back or jumped. */
export const DISORDER = 1 << 11;
/** onMetaData was read. */
export const METADATA = 1 << 12;
/** LIVE began: the settings as they stand now are the first ones. */
export const GO_LIVE = 1 << 13;
/** The frame-rate class was settled or moved. */
export const RATE_CLASS = 1 << 14;
/** The multitrack form of Enhanced RTMP, or a packet of another track than the first. */
export const MULTITRACK = 1 << 15;

/** Either track's windows have moved. */
export const BEAT = VIDEO_BEAT | AUDIO_BEAT;

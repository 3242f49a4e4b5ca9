/** All rules. Register a new rule here; everything else is derived from its entry. */

import { audioBitrate } from '../live/audio-bitrate.js';
import { audioBitratePreferred } from '../live/audio-bitrate-preferred.js';
import { audioChannelSilent } from '../live/audio-channel-silent.js';
import { audioChannels } from '../live/audio-channels.js';
import { audioCodec } from '../live/audio-codec.js';
import { audioMissing } from '../live/audio-missing.js';
import { audioOutOfPhase } from '../live/audio-out-of-phase.js';
import { audioProfile } from '../live/audio-profile.js';
import { audioQuiet } from '../live/audio-quiet.js';
import { audioSampleRate } from '../live/audio-sample-rate.js';
import { audioSilent } from '../live/audio-silent.js';
import { audioStuck } from '../live/audio-stuck.js';
import { audioSyntaxInvalid } from '../live/audio-syntax-invalid.js';
import { audioTimestampDeviation } from '../live/audio-timestamp-deviation.js';
import { audioVideoDrift } from '../live/audio-video-drift.js';
import { bFramesInBaseline } from '../live/b-frames-in-baseline.js';
import { bitrateLowered } from '../live/bitrate-lowered.js';
import { captionsLost } from '../live/captions-lost.js';
import { codecHeaderMissing } from '../live/codec-header-missing.js';
import { compositionTimeNegative } from '../live/composition-time-negative.js';
import { dpbOverLevel } from '../live/dpb-over-level.js';
import { durationExceeded } from '../live/duration-exceeded.js';
import { durationNearLimit } from '../live/duration-near-limit.js';
import { encoderOverloaded } from '../live/encoder-overloaded.js';
import { fasterThanRealTime } from '../live/faster-than-real-time.js';
import { firstFrameNotIdr } from '../live/first-frame-not-idr.js';
import { framesDropped } from '../live/frames-dropped.js';
import { hrdUnderflow } from '../live/hrd-underflow.js';
import { keyFrameFrequency } from '../live/key-frame-frequency.js';
import { keyFrameInterval } from '../live/key-frame-interval.js';
import { keyFrameIntervalRecommended } from '../live/key-frame-interval-recommended.js';
import { loudnessOffTarget } from '../live/loudness-off-target.js';
import { metadataMatches } from '../live/metadata.js';
import { multipleTracks } from '../live/multiple-tracks.js';
import { nalMalformed } from '../live/nal-malformed.js';
import { networkOutage } from '../live/network-outage.js';
import { openGop } from '../live/open-gop.js';
import { parameterSetAbsent } from '../live/parameter-set-absent.js';
import { parameterSetsWithoutIdr } from '../live/parameter-sets-without-idr.js';
import { protocol } from '../live/protocol.js';
import { referenceLost } from '../live/reference-lost.js';
import { rendererLagging } from '../live/renderer-lagging.js';
import { sampleAspectInvalid } from '../live/sample-aspect-invalid.js';
import { senderDropsFrames } from '../live/sender-drops-frames.js';
import { serverLate } from '../live/server-late.js';
import { settingsChanged } from '../live/settings-changed.js';
import { slicesMany } from '../live/slices-many.js';
import { sourcePaused } from '../live/source-paused.js';
import { starved } from '../live/starved.js';
import { timecodeJump } from '../live/timecode-jump.js';
import { timestampJitter } from '../live/timestamp-jitter.js';
import { timestampOrder } from '../live/timestamp-order.js';
import { timestampsDuplicated } from '../live/timestamps-duplicated.js';
import { tracksInterleavedWidely } from '../live/tracks-interleaved-widely.js';
import { uplinkTooSmall } from '../live/uplink-too-small.js';
import { videoAspectRatio } from '../live/video-aspect-ratio.js';
import { videoBitrateHigh } from '../live/video-bitrate-high.js';
import { videoBitrateLow } from '../live/video-bitrate-low.js';
import { videoBlack } from '../live/video-black.js';
import { videoChroma } from '../live/video-chroma.js';
import { videoCodec } from '../live/video-codec.js';
import { videoFrameRate } from '../live/video-frame-rate.js';
import { videoFrozen } from '../live/video-frozen.js';
import { videoLevel } from '../live/video-level.js';
import { videoLevelUnderstated } from '../live/video-level-understated.js';
import { videoMissing } from '../live/video-missing.js';
import { videoResolutionListed } from '../live/video-resolution-listed.js';
import { videoResolutionMax } from '../live/video-resolution-max.js';
import { videoScan } from '../live/video-scan.js';
import type { FileRule, LiveRule, Rule } from '../rule.js';
import { backupAbsent } from '../service/backup-absent.js';
import { backupDiffers } from '../service/backup-differs.js';
import { backupOnAir } from '../service/backup-on-air.js';
import { copyrightMatch } from '../service/copyright-match.js';
import { copyrightViolation } from '../service/copyright-violation.js';
import { forwardBehind } from '../service/forward-behind.js';
import { forwardLost } from '../service/forward-lost.js';
import { forwardRefused } from '../service/forward-refused.js';
import { publishRefused } from '../service/publish-refused.js';
import { recordingGap } from '../service/recording-gap.js';
import { recordingStopped } from '../service/recording-stopped.js';
import { streamInterrupted } from '../service/stream-interrupted.js';
import { streamTakenOver } from '../service/stream-taken-over.js';
import { uploadAspectRatio } from '../upload/aspect-ratio.js';
import { uploadAudioBitrate } from '../upload/audio-bitrate.js';
import { uploadAudioChannels } from '../upload/audio-channels.js';
import { uploadAudioCodec } from '../upload/audio-codec.js';
import { uploadAudioSampleRate } from '../upload/audio-sample-rate.js';
import { uploadContainer } from '../upload/container.js';
import { uploadReadable } from '../upload/readable.js';

/** Rules for live streams, in code order. */
export const LIVE_RULES: readonly LiveRule[] = [
  protocol,
  videoCodec,
  videoLevel,
  videoLevelUnderstated,
  videoResolutionMax,
  videoResolutionListed,
  videoFrameRate,
  videoAspectRatio,
  keyFrameInterval,
  keyFrameIntervalRecommended,
  videoBitrateHigh,
  videoBitrateLow,
  videoScan,
  videoChroma,
  openGop,
  keyFrameFrequency,
  multipleTracks,
  metadataMatches,
  parameterSetsWithoutIdr,
  parameterSetAbsent,
  referenceLost,
  nalMalformed,
  dpbOverLevel,
  hrdUnderflow,
  firstFrameNotIdr,
  codecHeaderMissing,
  compositionTimeNegative,
  sampleAspectInvalid,
  bFramesInBaseline,
  slicesMany,
  audioCodec,
  audioProfile,
  audioSampleRate,
  audioChannels,
  audioBitrate,
  audioBitratePreferred,
  audioSyntaxInvalid,
  audioTimestampDeviation,
  videoMissing,
  audioMissing,
  settingsChanged,
  timestampOrder,
  audioVideoDrift,
  starved,
  fasterThanRealTime,
  framesDropped,
  tracksInterleavedWidely,
  timestampJitter,
  timestampsDuplicated,
  durationExceeded,
  durationNearLimit,
  audioSilent,
  audioChannelSilent,
  audioOutOfPhase,
  audioStuck,
  audioQuiet,
  loudnessOffTarget,
  videoFrozen,
  videoBlack,
  captionsLost,
  timecodeJump,
  networkOutage,
  uplinkTooSmall,
  senderDropsFrames,
  bitrateLowered,
  encoderOverloaded,
  rendererLagging,
  sourcePaused,
  serverLate,
];

/** Faults that the service observes, not a packet. */
export const SERVICE_RULES: readonly Rule[] = [
  publishRefused,
  streamInterrupted,
  streamTakenOver,
  backupOnAir,
  backupDiffers,
  backupAbsent,
  recordingStopped,
  recordingGap,
  copyrightViolation,
  copyrightMatch,
  forwardRefused,
  forwardLost,
  forwardBehind,
];

/** Rules for uploaded files, in code order. */
export const FILE_RULES: readonly FileRule[] = [
  uploadContainer,
  uploadAspectRatio,
  uploadAudioCodec,
  uploadAudioSampleRate,
  uploadAudioChannels,
  uploadAudioBitrate,
  uploadReadable,
];

import type { Case } from '../../case.js';
import { abort } from './abort.js';
import { abortNothing } from './abort-nothing.js';
import { abortThenType3 } from './abort-then-type-3.js';
import { aggregate } from './aggregate.js';
import { aggregateCut } from './aggregate-cut.js';
import { chunkStreamBothForms } from './chunk-stream-both-forms.js';
import { chunkStreamThreeBytes } from './chunk-stream-three-bytes.js';
import { chunkStreamTwoBytes } from './chunk-stream-two-bytes.js';
import { chunkStreamsApart } from './chunk-streams-apart.js';
import { defaultSize } from './default-size.js';
import { extendedDelta } from './extended-delta.js';
import { extendedTimestamp } from './extended-timestamp.js';
import { extendedTimestampOmitted } from './extended-timestamp-omitted.js';
import { extendedTimestampRepeated } from './extended-timestamp-repeated.js';
import { firstHeaderType1 } from './first-header-type-1.js';
import { firstHeaderType2 } from './first-header-type-2.js';
import { firstHeaderType3 } from './first-header-type-3.js';
import { garbage } from './garbage.js';
import { headerInsideMessage } from './header-inside-message.js';
import { interleaved } from './interleaved.js';
import { interleavedMedia } from './interleaved-media.js';
import { setChunkSize } from './set-chunk-size.js';
import { setChunkSize0 } from './set-chunk-size-0.js';
import { setChunkSize1 } from './set-chunk-size-1.js';
import { setChunkSizeBetween } from './set-chunk-size-between.js';
import { setChunkSizeLargest } from './set-chunk-size-largest.js';
import { setChunkSizeLate } from './set-chunk-size-late.js';
import { setChunkSizeShort } from './set-chunk-size-short.js';
import { setChunkSizeTopBit } from './set-chunk-size-top-bit.js';
import { splitAnywhere } from './split-anywhere.js';
import { timestampWraps } from './timestamp-wraps.js';
import { type0Message } from './type-0-message.js';
import { type1Header } from './type-1-header.js';
import { type2Header } from './type-2-header.js';
import { type3BeginsMessage } from './type-3-begins-message.js';
import { unknownMessageTypes } from './unknown-message-types.js';

export const CHUNKS: readonly Case[] = [
  abort,
  abortNothing,
  abortThenType3,
  aggregate,
  aggregateCut,
  chunkStreamBothForms,
  chunkStreamThreeBytes,
  chunkStreamTwoBytes,
  chunkStreamsApart,
  defaultSize,
  extendedDelta,
  extendedTimestamp,
  extendedTimestampOmitted,
  extendedTimestampRepeated,
  firstHeaderType1,
  firstHeaderType2,
  firstHeaderType3,
  garbage,
  headerInsideMessage,
  interleaved,
  interleavedMedia,
  setChunkSize,
  setChunkSize0,
  setChunkSize1,
  setChunkSizeBetween,
  setChunkSizeLargest,
  setChunkSizeLate,
  setChunkSizeShort,
  setChunkSizeTopBit,
  splitAnywhere,
  timestampWraps,
  type0Message,
  type1Header,
  type2Header,
  type3BeginsMessage,
  unknownMessageTypes,
];

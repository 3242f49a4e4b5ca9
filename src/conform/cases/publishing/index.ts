import type { Case } from '../../case.js';
import { again } from './again.js';
import { audioOnly } from './audio-only.js';
import { badNeighbor } from './bad-neighbor.js';
import { beforeTheAnswer } from './before-the-answer.js';
import { brokenNalUnits } from './broken-nal-units.js';
import { closestream } from './closestream.js';
import { compositionTime } from './composition-time.js';
import { emptyName } from './empty-name.js';
import { fcpublishLate } from './fcpublish-late.js';
import { framesBeforeHeader } from './frames-before-header.js';
import { goneAtEveryStep } from './gone-at-every-step.js';
import { keyIsFreeAgain } from './key-is-free-again.js';
import { largeKeyFrame } from './large-key-frame.js';
import { media } from './media.js';
import { mediaBeforeStream } from './media-before-stream.js';
import { mediaWithoutPublish } from './media-without-publish.js';
import { metadataForms } from './metadata-forms.js';
import { nameNotText } from './name-not-text.js';
import { newHeader } from './new-header.js';
import { noMetadata } from './no-metadata.js';
import { noName } from './no-name.js';
import { oddNames } from './odd-names.js';
import { onStream0 } from './on-stream-0.js';
import { otherData } from './other-data.js';
import { refusalCloses } from './refusal-closes.js';
import { refusalCode } from './refusal-code.js';
import { refusalReason } from './refusal-reason.js';
import { secondOnConnection } from './second-on-connection.js';
import { secondPublisher } from './second-publisher.js';
import { shortBodies } from './short-bodies.js';
import { shortStatus } from './short-status.js';
import { start } from './start.js';
import { startOnce } from './start-once.js';
import { startStream } from './start-stream.js';
import { startTransaction } from './start-transaction.js';
import { startsLate } from './starts-late.js';
import { statusFields } from './status-fields.js';
import { timesGoBack } from './times-go-back.js';
import { twoKeys } from './two-keys.js';
import { videoOnly } from './video-only.js';
import { withQuery } from './with-query.js';
import { withoutType } from './without-type.js';

export const PUBLISHING: readonly Case[] = [
  again,
  audioOnly,
  badNeighbor,
  beforeTheAnswer,
  brokenNalUnits,
  closestream,
  compositionTime,
  emptyName,
  fcpublishLate,
  framesBeforeHeader,
  goneAtEveryStep,
  keyIsFreeAgain,
  largeKeyFrame,
  media,
  mediaBeforeStream,
  mediaWithoutPublish,
  metadataForms,
  nameNotText,
  newHeader,
  noMetadata,
  noName,
  oddNames,
  onStream0,
  otherData,
  refusalCloses,
  refusalCode,
  refusalReason,
  secondOnConnection,
  secondPublisher,
  shortBodies,
  shortStatus,
  start,
  startOnce,
  startStream,
  startTransaction,
  startsLate,
  statusFields,
  timesGoBack,
  twoKeys,
  videoOnly,
  withQuery,
  withoutType,
];

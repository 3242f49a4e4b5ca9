import type { Case } from '../../case.js';
import { answerEncoding } from './answer-encoding.js';
import { answersAreNotAnswered } from './answers-are-not-answered.js';
import { appMissing } from './app-missing.js';
import { appWithQuery } from './app-with-query.js';
import { appWithSlash } from './app-with-slash.js';
import { beforeConnect } from './before-connect.js';
import { callsInOrder } from './calls-in-order.js';
import { checkbw } from './checkbw.js';
import { chunkStreams } from './chunk-streams.js';
import { connectInSmallChunks } from './connect-in-small-chunks.js';
import { connectResult } from './connect-result.js';
import { connectStream0 } from './connect-stream-0.js';
import { connectSuccess } from './connect-success.js';
import { connectTransaction } from './connect-transaction.js';
import { connectTwice } from './connect-twice.js';
import { connectWithoutObject } from './connect-without-object.js';
import { createStream } from './create-stream.js';
import { deleteUnknownStream } from './delete-unknown-stream.js';
import { fcpublishTransaction } from './fcpublish-transaction.js';
import { lowerCaseTcurl } from './lower-case-tcurl.js';
import { noClose } from './no-close.js';
import { obsBurst } from './obs-burst.js';
import { play } from './play.js';
import { publishBeforeConnect } from './publish-before-connect.js';
import { releaseStream } from './release-stream.js';
import { tcurlMissing } from './tcurl-missing.js';
import { tcurlNoUrl } from './tcurl-no-url.js';
import { transaction0 } from './transaction-0.js';
import { unknownCall } from './unknown-call.js';
import { wrongTypes } from './wrong-types.js';

export const COMMANDS: readonly Case[] = [
  answerEncoding,
  answersAreNotAnswered,
  appMissing,
  appWithQuery,
  appWithSlash,
  beforeConnect,
  callsInOrder,
  checkbw,
  chunkStreams,
  connectInSmallChunks,
  connectResult,
  connectStream0,
  connectSuccess,
  connectTransaction,
  connectTwice,
  connectWithoutObject,
  createStream,
  deleteUnknownStream,
  fcpublishTransaction,
  lowerCaseTcurl,
  noClose,
  obsBurst,
  play,
  publishBeforeConnect,
  releaseStream,
  tcurlMissing,
  tcurlNoUrl,
  transaction0,
  unknownCall,
  wrongTypes,
];

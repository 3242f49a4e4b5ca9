import type { Case } from '../../case.js';
import { chunkStreams } from './chunk-streams.js';
import { createStreamFlood } from './create-stream-flood.js';
import { declared16Mb } from './declared-16-mb.js';
import { declaredBeforePublish } from './declared-before-publish.js';
import { declaredOn50 } from './declared-on-50.js';
import { emptyMessages } from './empty-messages.js';
import { halfClosed } from './half-closed.js';
import { handshakeNotBegun } from './handshake-not-begun.js';
import { handshakeSlow } from './handshake-slow.js';
import { idleAfterConnect } from './idle-after-connect.js';
import { idleConnections } from './idle-connections.js';
import { longCommand } from './long-command.js';
import { longMetadata } from './long-metadata.js';
import { manyMembers } from './many-members.js';
import { pingFlood } from './ping-flood.js';
import { reconnects } from './reconnects.js';
import { setChunkSizeFlood } from './set-chunk-size-flood.js';
import { tinyChunks } from './tiny-chunks.js';
import { unfinished48Mb } from './unfinished-48-mb.js';
import { unknownFlood } from './unknown-flood.js';

export const LIMITS: readonly Case[] = [
  chunkStreams,
  createStreamFlood,
  declared16Mb,
  declaredBeforePublish,
  declaredOn50,
  emptyMessages,
  halfClosed,
  handshakeNotBegun,
  handshakeSlow,
  idleAfterConnect,
  idleConnections,
  longCommand,
  longMetadata,
  manyMembers,
  pingFlood,
  reconnects,
  setChunkSizeFlood,
  tinyChunks,
  unfinished48Mb,
  unknownFlood,
];

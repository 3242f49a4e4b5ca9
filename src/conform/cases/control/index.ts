import type { Case } from '../../case.js';
import { acknowledgement } from './acknowledgement.js';
import { acknowledgementCount } from './acknowledgement-count.js';
import { clientAcknowledgement } from './client-acknowledgement.js';
import { clientPeerBandwidth } from './client-peer-bandwidth.js';
import { controlChunkStream } from './control-chunk-stream.js';
import { emptyControl } from './empty-control.js';
import { oneSetChunkSize } from './one-set-chunk-size.js';
import { peerBandwidth } from './peer-bandwidth.js';
import { ping } from './ping.js';
import { pingWhilePublishing } from './ping-while-publishing.js';
import { setBufferLength } from './set-buffer-length.js';
import { shortEvent } from './short-event.js';
import { shortPing } from './short-ping.js';
import { streamBegin } from './stream-begin.js';
import { tinyWindow } from './tiny-window.js';
import { unknownEvent } from './unknown-event.js';
import { window0 } from './window-0.js';
import { windowAckSize } from './window-ack-size.js';

export const CONTROL: readonly Case[] = [
  acknowledgement,
  acknowledgementCount,
  clientAcknowledgement,
  clientPeerBandwidth,
  controlChunkStream,
  emptyControl,
  oneSetChunkSize,
  peerBandwidth,
  ping,
  pingWhilePublishing,
  setBufferLength,
  shortEvent,
  shortPing,
  streamBegin,
  tinyWindow,
  unknownEvent,
  window0,
  windowAckSize,
];

import type { Case } from '../../case.js';
import { answerCapsEx } from './answer-caps-ex.js';
import { answerFourccList } from './answer-fourcc-list.js';
import { answerInfoMaps } from './answer-info-maps.js';
import { av1 } from './av1.js';
import { avc1 } from './avc1.js';
import { codedFramesX } from './coded-frames-x.js';
import { cutHeader } from './cut-header.js';
import { fourccInfoMap } from './fourcc-info-map.js';
import { fourccList } from './fourcc-list.js';
import { hevc } from './hevc.js';
import { manyTracks } from './many-tracks.js';
import { metadataFrame } from './metadata-frame.js';
import { modEx } from './mod-ex.js';
import { mp4a } from './mp4a.js';
import { multichannelConfig } from './multichannel-config.js';
import { multitrack } from './multitrack.js';
import { oddCapabilities } from './odd-capabilities.js';
import { olderClient } from './older-client.js';
import { sequenceEnd } from './sequence-end.js';
import { trackPastEnd } from './track-past-end.js';
import { unknownCapabilities } from './unknown-capabilities.js';
import { unknownFourcc } from './unknown-fourcc.js';

export const ENHANCED: readonly Case[] = [
  answerCapsEx,
  answerFourccList,
  answerInfoMaps,
  av1,
  avc1,
  codedFramesX,
  cutHeader,
  fourccInfoMap,
  fourccList,
  hevc,
  manyTracks,
  metadataFrame,
  modEx,
  mp4a,
  multichannelConfig,
  multitrack,
  oddCapabilities,
  olderClient,
  sequenceEnd,
  trackPastEnd,
  unknownCapabilities,
  unknownFourcc,
];

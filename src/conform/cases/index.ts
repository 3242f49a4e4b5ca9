/** All conformance cases, in the order of the groups. */
import type { Case } from '../case.js';
import { AMF } from './amf/index.js';
import { CHUNKS } from './chunks/index.js';
import { COMMANDS } from './commands/index.js';
import { CONTROL } from './control/index.js';
import { ENHANCED } from './enhanced/index.js';
import { HANDSHAKE } from './handshake/index.js';
import { LIMITS } from './limits/index.js';
import { PUBLISHING } from './publishing/index.js';
import { TLS } from './tls/index.js';

export const CASES: readonly Case[] = [
  ...HANDSHAKE,
  ...CHUNKS,
  ...CONTROL,
  ...AMF,
  ...COMMANDS,
  ...PUBLISHING,
  ...ENHANCED,
  ...TLS,
  ...LIMITS,
];

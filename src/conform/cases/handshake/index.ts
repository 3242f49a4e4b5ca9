import type { Case } from '../../case.js';
import { allInOne } from './all-in-one.js';
import { anyC2 } from './any-c2.js';
import { byteByByte } from './byte-by-byte.js';
import { c2WithConnect } from './c2-with-connect.js';
import { cutShort } from './cut-short.js';
import { digestScheme0 } from './digest-scheme-0.js';
import { digestScheme1 } from './digest-scheme-1.js';
import { httpRequest } from './http-request.js';
import { invalidDigest } from './invalid-digest.js';
import { s0Version } from './s0-version.js';
import { s1Random } from './s1-random.js';
import { s1ZeroField } from './s1-zero-field.js';
import { s2EqualsC1 } from './s2-equals-c1.js';
import { s2RepeatsC1 } from './s2-repeats-c1.js';
import { s2WaitsForC1 } from './s2-waits-for-c1.js';
import { version6 } from './version-6.js';

export const HANDSHAKE: readonly Case[] = [
  allInOne,
  anyC2,
  byteByByte,
  c2WithConnect,
  cutShort,
  digestScheme0,
  digestScheme1,
  httpRequest,
  invalidDigest,
  s0Version,
  s1Random,
  s1ZeroField,
  s2EqualsC1,
  s2RepeatsC1,
  s2WaitsForC1,
  version6,
];

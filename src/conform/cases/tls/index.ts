import type { Case } from '../../case.js';
import { cameraCiphers } from './camera-ciphers.js';
import { cutHandshake } from './cut-handshake.js';
import { garbage } from './garbage.js';
import { noCertificateRequest } from './no-certificate-request.js';
import { noSessionTicket } from './no-session-ticket.js';
import { oldVersions } from './old-versions.js';
import { pkcs1Signature } from './pkcs1-signature.js';
import { plainRtmp } from './plain-rtmp.js';
import { smallRecords } from './small-records.js';
import { trusted } from './trusted.js';
import { unfinishedHandshake } from './unfinished-handshake.js';
import { version12 } from './version-1-2.js';
import { weakCiphers } from './weak-ciphers.js';
import { withoutSni } from './without-sni.js';
import { wrongSni } from './wrong-sni.js';

export const TLS: readonly Case[] = [
  cameraCiphers,
  cutHandshake,
  garbage,
  noCertificateRequest,
  noSessionTicket,
  oldVersions,
  pkcs1Signature,
  plainRtmp,
  smallRecords,
  trusted,
  unfinishedHandshake,
  version12,
  weakCiphers,
  withoutSni,
  wrongSni,
];

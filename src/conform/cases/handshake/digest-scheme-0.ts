import { ClientHandshake } from '../../../rtmp/handshake/client-handshake.js';
import type { Case } from '../../case.js';
import { filled } from '../../media.js';
import { HELLO } from '../../trial.js';
import { joined } from '../../wire.js';

export const digestScheme0: Case = {
  id: 'handshake/digest-scheme-0',
  group: 'handshake',
  clause: 'Flash Media Server 3, digest handshake',
  level: 'practice',
  title: 'A C1 with a digest in its first half is answered with signed S1 and S2',
  async run(trial) {
    const client = new ClientHandshake((count) => filled(count, 11), 0);
    const dialogue = await trial.open();
    await dialogue.raw('C0, C1 with a digest of scheme 0', client.start());
    const { s2 } = await dialogue.expectHandshake();
    if (Buffer.compare(s2.subarray(8), client.sent.subarray(8)) === 0)
      trial.skip('the peer makes the plain handshake only');
    client.push(joined(HELLO.subarray(0, 1), dialogue.handshake.subarray(1)));
    trial.check(
      'S1 and S2 with digests that verify',
      client.serverVerified,
      client.serverVerified ? 'they verify' : 'they do not',
    );
  },
};

import type { Case } from '../../case.js';
import { filled, hex } from '../../media.js';
import { joined } from '../../wire.js';

const CLIENT_HELLO_START = joined(hex('16 0301 0200 01 0001fc 0303'), filled(40));

export const cutHandshake: Case = {
  id: 'tls/cut-handshake',
  group: 'tls',
  clause: 'RFC 5246 7.4',
  level: 'must',
  title: 'A client that leaves in the middle of the TLS handshake harms no other',
  hostile: true,
  needs: 'tls',
  async run(trial) {
    for (const size of [1, 5, 40]) {
      const dialogue = await trial.open({ tls: 'none' });
      await dialogue.raw(`${size} bytes of a ClientHello`, CLIENT_HELLO_START.subarray(0, size));
      dialogue.line.close('drop');
    }
  },
};

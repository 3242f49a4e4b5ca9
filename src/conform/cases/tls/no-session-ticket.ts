/** Builds of OBS with Mbed TLS 3.6 take a ticket for a fault of the connection. */
import type { Case } from '../../case.js';
import { HELLO } from '../../trial.js';

export const noSessionTicket: Case = {
  id: 'tls/no-session-ticket',
  group: 'tls',
  clause: 'Mbed-TLS/mbedtls#9415',
  level: 'practice',
  title: 'No session ticket comes after the handshake of a client that offers TLS 1.3',
  needs: 'tls',
  async run(trial) {
    const dialogue = await trial.open({ tls: { maxVersion: 'TLSv1.3' } });
    await dialogue.raw('C0, C1', HELLO);
    await dialogue.expectHandshake();
    const tls = dialogue.line.tls;
    const isSilent = tls?.protocol !== 'TLSv1.3' || tls.tickets === 0;
    trial.check('TLS 1.2, or no ticket', isSilent, `${tls?.protocol} and ${tls?.tickets} tickets`);
  },
};

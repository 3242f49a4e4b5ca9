/** Firmware of cameras ends the handshake when it is asked. */
import type { Case } from '../../case.js';
import { serverFlight } from '../../server-flight.js';

export const noCertificateRequest: Case = {
  id: 'tls/no-certificate-request',
  group: 'tls',
  clause: 'ant-media/Ant-Media-Server#7098',
  level: 'practice',
  title: 'No certificate is asked of the client',
  needs: 'tls',
  async run(trial) {
    const { requestsCertificate } = await serverFlight(await trial.line({ tls: 'none' }), trial, ['0401', '0804']);
    trial.check('no CertificateRequest', !requestsCertificate, requestsCertificate ? 'one came' : 'none came');
  },
};

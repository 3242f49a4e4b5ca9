/** Mbed TLS 3.6 offers RSA-PSS in TLS 1.2, and refuses it in the ServerKeyExchange. */
import type { Case } from '../../case.js';
import { serverFlight } from '../../server-flight.js';

export const pkcs1Signature: Case = {
  id: 'tls/pkcs1-signature',
  group: 'tls',
  clause: 'Mbed-TLS/mbedtls#9861',
  level: 'practice',
  title: 'A client that offers RSA-PSS before PKCS#1 gets a signature that Mbed TLS 3.6 accepts',
  needs: 'tls',
  async run(trial) {
    const { signature } = await serverFlight(await trial.line({ tls: 'none' }), trial, ['0804', '0401', '0403']);
    trial.check('PKCS#1 or ECDSA', signature === '0401' || signature === '0403', `algorithm ${signature}`);
  },
};

import type { Case } from '../../case.js';
import { UnreachableError } from '../../peer.js';

function refused(error: unknown): string {
  if (error instanceof UnreachableError) return 'refused';
  throw error;
}

export const weakCiphers: Case = {
  id: 'tls/weak-ciphers',
  group: 'tls',
  clause: 'RFC 9325 4.1',
  level: 'must',
  title: 'Cipher suites without encryption or authentication are refused',
  needs: 'tls',
  async run(trial) {
    const weak = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: 'eNULL:aNULL:@SECLEVEL=0' } as const;
    const cipher = await trial.line({ tls: weak }).then((line) => line.tls?.cipher, refused);
    trial.check('no connection', cipher === 'refused', `${cipher}`);
  },
};

import type { Case } from '../../case.js';

export const version12: Case = {
  id: 'tls/version-1-2',
  group: 'tls',
  clause: 'RFC 9325 3.1.1',
  level: 'should',
  title: 'TLS 1.2 is accepted',
  needs: 'tls',
  async run(trial) {
    const line = await trial.line({ tls: { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } });
    trial.check('TLS 1.2', line.tls?.protocol === 'TLSv1.2', `${line.tls?.protocol}`);
  },
};

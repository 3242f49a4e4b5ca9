import type { Case } from '../../case.js';
import { UnreachableError } from '../../peer.js';

function refused(error: unknown): string {
  if (error instanceof UnreachableError) return 'refused';
  throw error;
}

export const oldVersions: Case = {
  id: 'tls/old-versions',
  group: 'tls',
  clause: 'RFC 8996 4, 5',
  level: 'must',
  title: 'TLS 1.0 and 1.1 are refused',
  needs: 'tls',
  async run(trial) {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const;
    const protocol = await trial.line({ tls: old }).then((line) => line.tls?.protocol, refused);
    trial.check('no connection', protocol === 'refused', `${protocol}`);
  },
};

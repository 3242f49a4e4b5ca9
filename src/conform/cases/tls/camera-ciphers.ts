import type { Case } from '../../case.js';

export const cameraCiphers: Case = {
  id: 'tls/camera-ciphers',
  group: 'tls',
  clause: 'GoPro Hero 12 and 13',
  level: 'practice',
  title: 'ECDHE with AES-128-GCM alone is accepted',
  needs: 'tls',
  async run(trial) {
    const dialogue = await trial.shaken({
      tls: { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256' },
    });
    await trial.connect(dialogue);
    await dialogue.expectAnswer(1);
  },
};

import type { Case } from '../../case.js';
import { AAC_FRAME, AAC_HEADER } from '../../media.js';

export const audioOnly: Case = {
  id: 'publishing/audio-only',
  group: 'publishing',
  clause: 'arut/nginx-rtmp-module#228',
  level: 'should',
  title: 'A stream of audio only is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.audio(AAC_HEADER, 0, 'AAC sequence header');
    for (let at = 0; at < 10; at++) await dialogue.audio(AAC_FRAME, 21 * at, 'an AAC frame');
    await dialogue.expectServed();
  },
};

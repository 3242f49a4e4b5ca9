import type { Case } from '../../case.js';
import { AVC_HEADER, INTER_FRAME, KEY_FRAME } from '../../media.js';

export const videoOnly: Case = {
  id: 'publishing/video-only',
  group: 'publishing',
  clause: 'arut/nginx-rtmp-module#228',
  level: 'should',
  title: 'A stream of video only is read',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.video(AVC_HEADER, 0, 'H.264 sequence header');
    await dialogue.video(KEY_FRAME, 0, 'a key frame');
    for (let at = 1; at < 10; at++) await dialogue.video(INTER_FRAME, 40 * at, 'a video frame');
    await dialogue.expectServed();
  },
};

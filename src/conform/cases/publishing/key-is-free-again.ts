import type { Case } from '../../case.js';

const FREE_MS = 5_000;

export const keyIsFreeAgain: Case = {
  id: 'publishing/key-is-free-again',
  group: 'publishing',
  clause: 'arut/nginx-rtmp-module#1152',
  level: 'should',
  title: 'The key is free within 5 s after a publisher was cut off',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    dialogue.line.close('drop');
    const endMs = performance.now() + FREE_MS;
    for (;;) {
      const next = await trial.created();
      const refusal = await trial.publish(next, trial.key());
      if (refusal === undefined) return next.expectServed();
      const isOver = performance.now() > endMs;
      trial.check('NetStream.Publish.Start within 5 s', !isOver, `${refusal.info.code}: ${refusal.info.description}`);
      next.line.close('drop');
      await trial.pause(300);
    }
  },
};

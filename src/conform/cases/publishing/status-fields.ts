/** OBS 29 and librtmp end with a fault of their memory without a description. */
import type { Case } from '../../case.js';

export const statusFields: Case = {
  id: 'publishing/status-fields',
  group: 'publishing',
  clause: 'OBS 29, librtmp',
  level: 'should',
  title: 'Each onStatus has level, code and a description that is not empty',
  keys: 1,
  async run(trial) {
    const dialogue = await trial.publishing();
    await dialogue.media();
    await dialogue.command(0, 'deleteStream', 0, null, dialogue.streamId);
    await dialogue.expectSettled();
    const odd = dialogue.statuses().filter(({ info }) => {
      const texts = [info.level, info.code, info.description];
      return !texts.every((text) => typeof text === 'string' && text !== '');
    });
    trial.check(
      'texts in all three',
      odd.length === 0,
      odd.length === 0 ? `${dialogue.statuses().length} so` : `${odd[0]?.info.code} without`,
    );
  },
};

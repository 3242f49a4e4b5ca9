import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const truncatedObject: Case = {
  id: 'amf/truncated-object',
  group: 'amf',
  clause: 'AMF0 2.5',
  level: 'must',
  title: 'An object that ends with the message ends at most its own connection',
  hostile: true,
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody(
      'a createStream whose object does not end',
      hex('02 000c 63726561746553747265616d 00 4034000000000000 03 0001 61'),
    );
    await dialogue.expectSettled();
  },
};

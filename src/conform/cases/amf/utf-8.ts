import type { Case } from '../../case.js';
import { connectBody } from '../../wire.js';

export const utf8: Case = {
  id: 'amf/utf-8',
  group: 'amf',
  clause: 'AMF0 1.3.1',
  level: 'must',
  title: 'Text of several bytes a character is read',
  async run(trial) {
    const dialogue = await trial.shaken();
    await dialogue.commandBody(
      'connect (1) with members in UTF-8',
      connectBody(trial.peer, { schlüssel: 'größe 😀', flashVer: '编码器' }),
    );
    await dialogue.expectAnswer(1);
  },
};

import type { Case } from '../../case.js';
import { hex } from '../../media.js';

export const emptyCommand: Case = {
  id: 'amf/empty-command',
  group: 'amf',
  clause: 'HaishinKit/HaishinKit.swift#52',
  level: 'should',
  title: 'A command of no bytes is ignored',
  async run(trial) {
    const dialogue = await trial.connected();
    await dialogue.commandBody('a command of no bytes', hex(''));
    await dialogue.expectServed();
  },
};

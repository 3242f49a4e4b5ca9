import type { Case } from '../../case.js';

export const goneAtEveryStep: Case = {
  id: 'publishing/gone-at-every-step',
  group: 'publishing',
  clause: 'ossrs/srs#713',
  level: 'must',
  title: 'A client that leaves after any step harms no other',
  keys: 1,
  hostile: true,
  async run(trial) {
    const steps = [() => trial.shaken(), () => trial.connected(), () => trial.created(), () => trial.publishing()];
    for (const step of steps) {
      const dialogue = await step();
      dialogue.line.close('drop');
    }
    const asked = await trial.created();
    await asked.command(asked.streamId, 'publish', 5, null, trial.key(), 'live');
    asked.line.close('drop');
  },
};

/**
 * Journals error records on the embedded store until it is killed, and says each one that was pushed.
 * Arguments: data folder, broadcast id, fence.
 */
import { ErrorJournal } from '../../src/store/journal/error-journal.js';
import { openStore } from '../../src/store/open.js';
import { memoryLog, raised, realClock } from './store-harness.js';

const [dataDir = '', broadcastId = '', fence = '1'] = process.argv.slice(2);
const log = memoryLog();
const store = await openStore({ dataDir, log, clock: realClock });
const journal = await ErrorJournal.open({ dataDir, store, log, clock: realClock });
process.stdout.write('open\n');

let number = 0;
const turn = () => {
  for (let n = 0; n < 3; n += 1) {
    number += 1;
    void journal.append([raised(broadcastId, Number(fence), number)]).then((written) => {
      for (const entry of written) process.stdout.write(`pushed ${entry.number}\n`);
    });
  }
  setImmediate(turn);
};
turn();

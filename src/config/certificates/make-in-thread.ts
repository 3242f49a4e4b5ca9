/** Creates certificates in a thread, whose memory is returned when it ends: the X.509 library and its garbage take 15 MB. */
import { Worker } from 'node:worker_threads';
import type { MadePairs } from './authority.js';
import type { MakePairs } from './certificates.js';

const THREAD = './authority-thread.js';

export const makeInThread: MakePairs = (missing) =>
  new Promise<MadePairs>((resolve, reject) => {
    const thread = new Worker(new URL(THREAD, import.meta.url), { workerData: missing });
    thread.once('message', resolve);
    thread.once('error', reject);
    // Has no effect once the pairs came.
    thread.once('exit', (code) => reject(new Error(`the thread that creates certificates ended with ${code}`)));
  });

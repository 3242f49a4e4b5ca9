/** A thread that creates one certificate: see `makeInThread`. */
import { parentPort, workerData } from 'node:worker_threads';
import { makePairs } from './authority.js';

parentPort?.postMessage(await makePairs(workerData));

/**
 * Does an encoder that stands by take more memory than one on air? Servers in turn under few and many connections: each encoder
 * with a live video of its own, and two encoders to each live video. What one more connection takes is the slope between both, since
 * a process that begins to work takes some megabytes whatever comes. Ends with 1 when a standby takes more than a publisher by a tenth.
 *
 *   node bench/standby.mjs [--few 40] [--many 140] [--seconds 24] [--rounds 3] [--profile 360p30]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildIfStale, startAirlock } from './lib/airlock.mjs';
import { content } from './lib/flv.mjs';
import { startPublishers } from './lib/load.mjs';
import { median, memoryOf } from './lib/measure.mjs';

const { values: options } = parseArgs({
  options: {
    few: { type: 'string', default: '40' },
    many: { type: 'string', default: '140' },
    seconds: { type: 'string', default: '24' },
    rounds: { type: 'string', default: '3' },
    profile: { type: 'string', default: '360p30' },
  },
});
const [few, many] = [Number(options.few), Number(options.many)];
const seconds = Number(options.seconds);
const MOST = 1.1;

/** Memory of the ingest process in KB, without the pages of files. */
const ingestKb = (server) => memoryOf(server).find(({ role }) => role === 'ingest').privateMb * 1024;

/** KB of so many connections once they have sent for a while. */
async function allKb(scratch, perLive, connections) {
  const server = await startAirlock({ scratch });
  try {
    const params = perLive === 2 ? { enable_backup_ingest: 'true' } : {};
    const lives = await Promise.all(Array.from({ length: connections / perLive }, () => server.createLive(params)));
    const keys = lives.flatMap(({ key, backupKey }) => (perLive === 2 ? [key, backupKey] : [key]));
    const before = ingestKb(server);
    const load = { publishers: connections, seconds, warmupSeconds: 0, profile: options.profile };
    const publishers = await startPublishers({ port: server.port, keys }, load);
    const { done } = publishers.go();
    const looks = [];
    const timer = setInterval(() => looks.push(ingestKb(server)), 1000);
    const { lost } = await done.finally(() => clearInterval(timer));
    if (lost > 0) throw new Error(`the server closed ${lost} connections`);
    return median(looks.slice(-seconds / 2)) - before;
  } finally {
    await server.stop();
  }
}

async function oneMoreKb(scratch, perLive) {
  const [least, most] = [await allKb(scratch, perLive, few), await allKb(scratch, perLive, many)];
  return (most - least) / (many - few);
}

buildIfStale();
content(options.profile);
const scratch = mkdtempSync(join(tmpdir(), 'airlock-standby-'));
const rows = [];
for (let round = 0; round < Number(options.rounds); round++) {
  const [alone, paired] = [await oneMoreKb(scratch, 1), await oneMoreKb(scratch, 2)];
  rows.push({ publisher: Math.round(alone), standby: Math.round(2 * paired - alone) });
}
rmSync(scratch, { recursive: true, force: true });
console.log('KB of the ingest process, without the pages of files');
console.table(rows);
const [publisher, standby] = ['publisher', 'standby'].map((name) => median(rows.map((row) => row[name])));
console.log(`median: a publisher ${publisher} KB, a standby ${standby} KB`);
process.exitCode = standby > MOST * publisher ? 1 : 0;

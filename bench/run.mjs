// npm run bench [-- --publishers 150 --seconds 20 --record-bytes 4096 --only floor,airlock]
// Figures mean something only as ratios within one run: the machine is shared, so the floor is measured in each.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { content } from './lib/flv.mjs';
import { underLoad } from './lib/measure.mjs';
import { airlock, floor, nodeMediaServer, scratchFolder } from './lib/subjects.mjs';

const { values: options } = parseArgs({
  options: {
    publishers: { type: 'string', default: '150' },
    seconds: { type: 'string', default: '20' },
    'record-bytes': { type: 'string', default: '4096' },
    only: { type: 'string', default: 'floor,airlock,node-media-server' },
  },
});

if (options.only.includes('airlock'))
  execFileSync(process.execPath, ['scripts/build.mjs', '--if-stale'], { stdio: 'inherit' });
content();
const scratch = scratchFolder();
const certificate = { cert: join(scratch, 'server.crt'), key: join(scratch, 'server.key') };
const subject = '/CN=localhost';
execFileSync(
  'openssl',
  [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    subject,
    '-keyout',
    certificate.key,
    '-out',
    certificate.cert,
  ],
  { stdio: 'ignore' },
);

const subjects = {
  floor: floor(certificate),
  airlock: airlock('airlock, validating'),
  'node-media-server': nodeMediaServer(certificate),
};
const seconds = Number(options.seconds);
const recordBytes = Number(options['record-bytes']);
const loads = [
  {
    name: `${options.publishers} publishers in real time`,
    publishers: Number(options.publishers),
    mode: 'paced',
    seconds,
    recordBytes,
  },
  {
    name: '4 publishers as fast as they can',
    publishers: 4,
    mode: 'flood',
    seconds: Math.min(seconds, 10),
    recordBytes,
  },
];

const rows = [];
for (const load of loads) {
  let floorCost;
  for (const name of options.only.split(',')) {
    const server = await subjects[name].start(load.publishers, scratch);
    try {
      const result = await underLoad(server, load);
      if (name === 'floor') floorCost = result.cpuPerGb;
      rows.push({
        load: load.name,
        server: subjects[name].name,
        'CPU s/GB': result.cpuPerGb.toFixed(2),
        'times the floor': floorCost ? (result.cpuPerGb / floorCost).toFixed(2) : '',
        'memory MB': result.memoryMb.toFixed(0),
        'Mbit/s': result.mbps.toFixed(0),
      });
      console.log(rows.at(-1));
    } finally {
      await server.stop();
    }
  }
}
console.table(rows);
rmSync(scratch, { recursive: true, force: true });
process.exit(0);

// The servers that are compared, each started fresh for its turn. A subject has a name, `missing()` (why it cannot be
// tried here, or undefined), and `start(load, scratch)`, which resolves with
//   port, keys          where publishers go, and their publish names (undefined: bytes without RTMP)
//   roots, carriers()   the processes that were started, and those of them and theirs that carry streams
//   viewerAddresses(n)  HTTP-FLV of the broadcasts, where it is served
//   stop()
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAirlock } from './airlock.mjs';
import { nextMessage } from './measure.mjs';
import { gortmplib, nginxRtmp, srs } from './peers.mjs';
import { ours, stop } from './processes.mjs';

const here = join(import.meta.dirname, '..');

export const publishNames = (count) => Array.from({ length: count }, (_, i) => `bench${i}`);

function forked(name, script, certificate, { speaksRtmp }) {
  return {
    name,
    missing: () => undefined,
    async start(load, scratch) {
      const folder = mkdtempSync(join(scratch, 'written-'));
      const child = ours(
        fork(join(here, 'servers', script), [certificate.cert, certificate.key, folder], {
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        }),
      );
      const { rtmps, http } = await nextMessage(child, 'ports');
      const keys = publishNames(load.publishers);
      return {
        port: rtmps,
        keys: speaksRtmp ? keys : undefined,
        roots: [child.pid],
        carriers: () => [child.pid],
        viewerAddresses: async (count) =>
          Array.from({ length: count }, (_, i) => `http://127.0.0.1:${http}/live/${keys[i % keys.length]}.flv`),
        async stop() {
          await stop(child);
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

const airlock = (name, env) => ({
  name,
  missing: () => undefined,
  start: (load, scratch) => startAirlock({ scratch, publishers: load.publishers, env }),
});

export const subjects = (certificate) => ({
  floor: forked('bare Node TLS (floor)', 'floor.mjs', certificate, { speaksRtmp: false }),
  'floor-recording': forked('bare Node TLS, a file per connection', 'floor-recording.mjs', certificate, {
    speaksRtmp: false,
  }),
  airlock: airlock('Airlock, validating', { AIRLOCK_RECORD: 'off' }),
  'airlock-published': airlock('Airlock, the published document only', {
    AIRLOCK_RECORD: 'off',
    AIRLOCK_ANALYSIS: 'off',
  }),
  'airlock-recording': airlock('Airlock, validating and recording', { AIRLOCK_RECORD: 'on' }),
  'node-media-server': forked('node-media-server', 'node-media-server.mjs', certificate, { speaksRtmp: true }),
  'nginx-rtmp': nginxRtmp(certificate),
  srs: srs(certificate),
  gortmplib: gortmplib(certificate),
});

/** Those that serve HTTP-FLV. */
export const WATCHABLE = ['airlock', 'node-media-server'];

export const scratchFolder = () => mkdtempSync(join(tmpdir(), 'airlock-bench-run-'));

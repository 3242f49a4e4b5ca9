/** The recipe for an ingest protocol (CONTRIBUTING.md), carried out for `flv-over-tcp.ts`. */
import type { Changes } from '../../support/changed-tree.js';

export const PROTOCOL: Changes = {
  'src/ingest/flv/flv-over-tcp.ts': { from: 'test/recipes/protocol/flv-over-tcp.ts' },
  'src/config/settings/listener-settings.ts': [
    [
      /^ {2}httpPort: /m,
      `  flvPort: portOrOff().optional().register(settingMeta, {
    env: 'AIRLOCK_FLV_PORT',
    shown: 'off',
    placeholder: 'PORT|off',
    summary: 'Port of a listener for FLV over TCP.',
  }),
$&`,
    ],
  ],
  'src/config/listeners.ts': [
    [
      /^ {2}\{ name: 'http'/m,
      "  { name: 'flv', protocol: 'FLV over TCP', role: 'ingest', setting: 'flvPort', port: ({ flvPort }) => flvPort },\n$&",
    ],
  ],
  'src/server/roles/ingest.ts': [
    [
      /^import .*ingest\/rtmp\/connection.js';\n/m,
      "import { flvOverTcp } from '../../ingest/flv/flv-over-tcp.js';\n$&",
    ],
    [
      /^ {2}takeStreams\(process.*\n/m,
      "$&  link.onConnection('flv', flvOverTcp({ publishes: engine, clock, log }));\n",
    ],
  ],
};

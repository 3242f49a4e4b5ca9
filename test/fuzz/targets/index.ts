/** All targets by their name for `npm run fuzz`. Created for a run, closed after it. */
import type { FuzzTarget } from '../../support/fuzz.js';
import { containerFilesTarget } from './container-files.js';
import { FILE_TARGETS, mp4Target } from './files.js';
import { HTTP_TARGETS } from './http.js';
import { batchTarget, graphTarget, uploadTarget, webhookTarget } from './interface.js';
import { MEDIA_TARGETS } from './media.js';
import { retainHeadersTarget } from './retain-headers.js';
import { RTMP_TARGETS } from './rtmp.js';
import { sharedBuffer } from './shared-buffer.js';
import { library, validateTarget } from './validate.js';

type Maker = () => FuzzTarget | Promise<FuzzTarget>;

const made = (targets: Readonly<Record<string, FuzzTarget>>): [string, Maker][] =>
  Object.entries(targets).map(([name, target]) => [name, () => target]);

export const TARGETS: ReadonlyMap<string, Maker> = new Map([
  ...made({
    ...RTMP_TARGETS,
    ...MEDIA_TARGETS,
    ...HTTP_TARGETS,
    ...FILE_TARGETS,
    'shared-buffer': sharedBuffer,
    library,
  }),
  ['retain-headers-4', () => retainHeadersTarget(4)],
  ['retain-headers-2', () => retainHeadersTarget(2)],
  ['retain-headers-1', () => retainHeadersTarget(1)],
  ['validate', validateTarget],
  ['container-files', containerFilesTarget],
  ['mp4', mp4Target],
  ['batch', batchTarget],
  ['graph', graphTarget],
  ['upload', uploadTarget],
  ['webhook', webhookTarget],
] satisfies [string, Maker][]);

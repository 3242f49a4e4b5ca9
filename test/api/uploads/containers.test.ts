/** Uploads become videos, with the tools in their sandbox: a container of every second demuxer. `test/long` uploads all of them. */

import { DEMUXERS_OF_CONTAINER, UPLOAD } from '../../../src/spec/upload.js';
import { failedUploads, openUploads } from '../../support/container-uploads.js';
import { inFull } from '../../support/in-full.js';

openUploads();

const demuxerOf = (name: (typeof UPLOAD.containers)[number]) => DEMUXERS_OF_CONTAINER[name][0];

inFull('a file of every second demuxer of the published containers becomes a video with pictures', async () => {
  const ofEachDemuxer = new Map(UPLOAD.containers.map((name) => [demuxerOf(name), name]));
  expect([...ofEachDemuxer.keys()]).toEqual(expect.arrayContaining(['gif', 'nsv', 'dv']));
  expect(await failedUploads([...ofEachDemuxer.values()].filter((_name, at) => at % 2 === 0))).toEqual([]);
});

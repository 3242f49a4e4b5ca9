/** Uploads of all published containers, with the tools in their sandbox. */
import { UPLOAD } from '../../src/spec/upload.js';
import { failedUploads, openUploads } from '../support/container-uploads.js';

openUploads();

test('a file of each of the 30 published containers becomes a video with pictures', async () => {
  expect(UPLOAD.containers).toHaveLength(30);
  expect(await failedUploads(UPLOAD.containers)).toEqual([]);
});

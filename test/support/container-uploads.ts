/** Uploads files of published containers and tells which of them did not become videos. */
import { readFileSync } from 'node:fs';
import type { UploadContainer } from '../../src/spec/upload.js';
import { makeContainer } from './container-files.js';
import { UploadHarness } from './upload-harness.js';

let harness: UploadHarness;

export function openUploads(): void {
  beforeAll(async () => {
    harness = await UploadHarness.open();
  });
  afterAll(() => harness.close());
}

/** Name and state of each upload that has no source or no picture after its processing. */
export async function failedUploads(names: readonly UploadContainer[]): Promise<object[]> {
  const ids = new Map<string, string>();
  for (const name of names) {
    const source = new Blob([readFileSync(makeContainer(name, harness.folder.path))]);
    const { body } = await harness.post(`/${harness.page}/videos`, { source });
    ids.set(name, String(body.id));
  }
  const failed: object[] = [];
  for (const [name, id] of ids) {
    const { data } = await harness.processed(id);
    const { body } = await harness.get(`/${id}`, { fields: 'source,thumbnails{uri}' });
    const isVideo = typeof body.source === 'string' && body.thumbnails?.data.length > 0;
    if (data.videoStatus !== 'ready' || !isVideo) failed.push({ name, ...data });
  }
  return failed;
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { diskReserve } from '../../src/config/settings/values.js';
import { writeFailed } from '../../src/vod/uploads/faults.js';
import { receiveFile } from '../../src/vod/uploads/receive-file.js';
import { temporaryFolderOfFile } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());
const at = (name: string): string => join(folder.path, name);

async function* pieces(count: number, fault?: Error): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(1_000, i);
  if (fault) throw fault;
}

test('stores a received file and removes it when it is discarded', async () => {
  const file = await receiveFile(pieces(5), { path: at('a'), fileName: 'x.mp4', maxBytes: 5_000 });
  expect(file).toMatchObject({ fileName: 'x.mp4', size: 5_000, path: at('a') });
  expect(readFileSync(at('a')).length).toBe(5_000);
  await file.discard();
  expect(existsSync(at('a'))).toBe(false);
  await file.discard();
});

test('leaves no file when it is too large, truncated or cannot be written, and reports which', async () => {
  const tooMuch = receiveFile(pieces(6), { path: at('b'), fileName: '', maxBytes: 5_999 });
  await expect(tooMuch).rejects.toMatchObject({ shape: { code: 100, subcode: 1363023 } });
  const cut = receiveFile(pieces(3, new Error('gone')), { path: at('b'), fileName: '', maxBytes: 9_000 });
  await expect(cut).rejects.toMatchObject({
    shape: { subcode: 'VIDEO__CREATE_FAILED', status: 400, message: expect.stringContaining('lost after 3000 bytes') },
  });
  expect(existsSync(at('b'))).toBe(false);
  const nowhere = receiveFile(pieces(3), { path: at('none/b'), fileName: '', maxBytes: 9_000 });
  await expect(nowhere).rejects.toMatchObject({ shape: { subcode: 'VIDEO__CREATE_FAILED', status: 500 } });
});

test('refuses a file below the disk reserve', async () => {
  const reserve = diskReserve().parse('999999TB');
  const refused = receiveFile(pieces(5), { path: at('c'), fileName: 'x.mp4', maxBytes: 5_000, reserve });
  await expect(refused).rejects.toMatchObject({
    shape: { subcode: 'VIDEO__CREATE_FAILED', status: 400, isTransient: true },
  });
  expect(existsSync(at('c'))).toBe(false);
});

test.each(['ENOSPC', 'EDQUOT'])('%s is reported as a server fault', (code) => {
  const { shape } = writeFailed(Object.assign(new Error(code), { code }));
  expect(shape).toMatchObject({
    subcode: 'VIDEO__CREATE_FAILED',
    status: 500,
    message: expect.stringContaining('Not enough disk space'),
  });
});

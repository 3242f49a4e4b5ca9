import { openStore } from '../../../src/store/open.js';
import { startChild } from '../../support/child-process.js';
import { memoryLog, realClock, temporaryFolderOfFile } from '../../support/store-harness.js';

const folder = temporaryFolderOfFile();
const open = () => openStore({ dataDir: folder.path, log: memoryLog(), clock: realClock });

afterAll(() => folder.remove());

test('refuses a second process with the pid and host of the owner', async () => {
  const child = startChild('store-child.ts', folder.path);
  try {
    await child.line((line) => line === 'open');
    const attempt = open();
    await expect(attempt).rejects.toMatchObject({ code: 'STORE_IN_USE', pid: child.process.pid });
    await expect(attempt).rejects.toThrow(`in use by process ${child.process.pid} on `);
  } finally {
    await child.kill('SIGTERM');
  }
  const store = await open();
  expect(await store.objects.get('child')).toMatchObject({ version: 1 });
  await expect(open()).rejects.toMatchObject({ code: 'STORE_IN_USE', pid: process.pid });
  await store.close();
});

test('opens the store of a killed process with all its acknowledged writes', async () => {
  const child = startChild('store-child.ts', folder.path);
  await child.line((line) => line === 'open');
  await child.kill('SIGKILL');
  const store = await open();
  expect(await store.objects.get('child')).toMatchObject({ version: 2 });
  await store.close();
});

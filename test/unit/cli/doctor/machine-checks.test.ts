/** The disk check of `airlock doctor` with AIRLOCK_DISK_RESERVE. */
import { diskFinding } from '../../../../src/cli/doctor/machine-checks.js';
import { diskReserve } from '../../../../src/config/settings/values.js';

test.each([
  [500e9, '10%', 'ok', '500.0 GB free of 1000.0 GB, reserve 10% (100.0 GB)'],
  [99e9, '10%', 'warn', 'less than the reserve 10% (100.0 GB): nothing is recorded and uploads are refused'],
  [99e9, '20GB', 'ok', 'reserve 20GB (20.0 GB)'],
  [500e9, '1TB', 'fail', 'AIRLOCK_DISK_RESERVE=1TB reserves the whole disk'],
  [5e9, '1%', 'fail', 'nothing can be stored'],
])('%d bytes free of 1 TB with a reserve of %s: %s', (freeBytes, reserve, level, finding) => {
  const result = diskFinding(freeBytes, 1e12, diskReserve().parse(reserve));
  expect(result).toMatchObject({ what: 'disk', level, finding: expect.stringContaining(finding) });
});

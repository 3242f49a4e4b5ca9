import { TransferRate } from '../../../src/dashboard/web/dashboard/videos/transfer-rate.js';

test('is the mean of the last seconds, and unknown before two chunks were sent', () => {
  const rate = new TransferRate();
  rate.add(0, 1_000);
  expect(rate.bytesPerSecond).toBeUndefined();
  rate.add(4_000_000, 3_000);
  expect(rate.bytesPerSecond).toBe(2_000_000);
  rate.add(4_100_000, 20_000);
  expect(rate.bytesPerSecond).toBeUndefined();
  rate.add(5_100_000, 21_000);
  expect(rate.bytesPerSecond).toBe(1_000_000);
});

test('begins anew with an upload that begins anew', () => {
  const rate = new TransferRate();
  rate.add(9_000_000, 1_000);
  rate.add(0, 2_000);
  rate.add(500_000, 3_000);
  expect(rate.bytesPerSecond).toBe(500_000);
});

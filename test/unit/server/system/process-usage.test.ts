import { UsageMeter } from '../../../../src/server/system/process-usage.js';
import { until } from '../../../support/store-harness.js';

const RESOLUTION_MS = 20;

test('measures memory and CPU time, and the delays since the last call', async () => {
  const meter = new UsageMeter({ linesDropped: 2 }, RESOLUTION_MS);
  try {
    const first = meter.now();
    expect(first.loopDelaySeconds).toBe(0);
    expect(first.logLinesDropped).toBe(2);
    expect(first.heapBytes).toBeGreaterThan(0);
    expect(first.residentBytes).toBeGreaterThan(first.heapBytes);
    // The time between two ticks is recorded: the loop is blocked after the first one.
    let turns = 0;
    await until(() => {
      for (const end = performance.now() + 100; performance.now() < end; );
      turns++;
      return turns === 5;
    });
    const { loopDelaySeconds } = meter.now();
    expect(loopDelaySeconds).toBeGreaterThan(0.05);
    // A second reader in the same minute sees it too.
    expect(meter.now().loopDelaySeconds).toBeGreaterThanOrEqual(loopDelaySeconds);
    expect(meter.now().cpuSeconds).toBeGreaterThan(first.cpuSeconds);
  } finally {
    meter.close();
  }
});

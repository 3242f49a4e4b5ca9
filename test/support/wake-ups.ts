/** How often processes wake up, as the system counts it (Linux). */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const WINDOW_S = 20;

/** How often the threads of these processes have waited for something. */
function waits(pids: readonly number[]): number {
  const threads = pids.flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}/status`));
  return threads.reduce((sum, file) => {
    const [, count] = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readFileSync(file, 'utf8')) ?? [];
    return sum + Number(count);
  }, 0);
}

/** Measured over 20 s. */
export async function wakeUpsASecond(pids: readonly number[]): Promise<number> {
  const before = waits(pids);
  await sleep(WINDOW_S * 1_000);
  return (waits(pids) - before) / WINDOW_S;
}

/** The embedded store in a process of its own, for tests that freeze and kill it. */
import { type Child, startChild } from './child-process.js';

export class StoreProcess {
  readonly #dataDir: string;
  #child: Child;

  private constructor(dataDir: string, child: Child) {
    this.#dataDir = dataDir;
    this.#child = child;
  }

  static async start(dataDir: string): Promise<StoreProcess> {
    return new StoreProcess(dataDir, await startServing(dataDir));
  }

  freeze(): void {
    this.#child.process.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.process.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    await this.#child.kill('SIGKILL');
  }

  async restart(): Promise<void> {
    this.#child = await startServing(this.#dataDir);
  }

  /** How many processes it has dropped because they did not read. */
  get dropped(): number {
    return this.#child.lines.filter((line) => line.includes('client of the store process that does not read')).length;
  }

  async stop(): Promise<void> {
    if (this.#child.process.exitCode !== null || this.#child.process.signalCode !== null) return;
    this.thaw();
    await this.#child.kill('SIGTERM');
  }
}

async function startServing(dataDir: string): Promise<Child> {
  const child = startChild('store-process-child.ts', dataDir);
  await child.line((line) => line === 'serving');
  return child;
}

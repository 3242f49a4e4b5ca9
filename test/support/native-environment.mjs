/** Jest's environment for `native-runtime.cjs`: the globals of the worker itself. What a file changed of them is put back after it. */
import { register } from 'node:module';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

register('./typescript-loader.mjs', import.meta.url);

/**
 * A worker ends as soon as nothing is left to do. V8 frees a heap of 800 MB object by object, 0.3 to 0.7 s beside load, and Jest
 * waits 0.5 s before it kills the worker and warns of a leak. A worker with a socket, a timer or a child left never gets here,
 * and is still reported.
 */
if (process.send !== undefined) process.once('beforeExit', () => process.exit());

/** How jest-circus takes `jest.retryTimes`. */
const RETRY_TIMES = Symbol.for('RETRY_TIMES_SETTER');

const { console } = globalThis;
const { exit } = process;

export default class NativeEnvironment {
  global = globalThis;
  #timers;
  #mocks = new ModuleMocker(globalThis);
  #env = { ...process.env };

  constructor({ projectConfig }) {
    this.#timers = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  getVmContext() {
    return globalThis;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  async setup() {
    const timers = this.#timers;
    const mocks = this.#mocks;
    globalThis.jest = {
      spyOn: (...given) => mocks.spyOn(...given),
      restoreAllMocks: () => mocks.restoreAllMocks(),
      useFakeTimers: (options) => timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
      advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
      getTimerCount: () => timers.getTimerCount(),
      retryTimes: (numRetries, { logErrorsBeforeRetry }) =>
        globalThis[RETRY_TIMES]({ numRetries, logErrorsBeforeRetry }),
    };
  }

  async teardown() {
    this.#timers.dispose();
    this.#mocks.restoreAllMocks();
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    // Jest replaces both.
    process.exit = exit;
    globalThis.console = console;
  }
}

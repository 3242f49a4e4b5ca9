/** A program whose output is kept and searched while it runs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

const KILLED_AFTER_MS = 5_000;

export class LoggedProgram {
  /** What it has written so far. */
  log = '';

  constructor(program, parameters, env) {
    this.child = spawn(program, parameters, { stdio: ['ignore', 'pipe', 'pipe'], env });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.on('data', (bytes) => {
        this.log += bytes;
      });
    }
  }

  get #runs() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits for text that matches. Undefined if it does not come, or the program ends first. */
  async says(pattern, limitS = 60) {
    const until = Date.now() + 1000 * limitS;
    for (;;) {
      const found = pattern.exec(this.log);
      if (found !== null) return found[0];
      if (Date.now() >= until || !this.#runs) return undefined;
      await wait(100);
    }
  }

  /** How often the log contains this. */
  count(text) {
    return this.log.split(text).length - 1;
  }

  async saysAgain(text, times, limitS) {
    const until = Date.now() + 1000 * limitS;
    while (Date.now() < until && this.#runs && this.count(text) < times) await wait(100);
    return this.count(text) >= times;
  }

  lines(pattern) {
    return this.log.split('\n').filter((line) => pattern.test(line));
  }

  async quit() {
    if (!this.#runs) return;
    const gone = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const killer = setTimeout(() => this.child.kill('SIGKILL'), KILLED_AFTER_MS);
    await gone;
    clearTimeout(killer);
  }
}

/** Loaded before a server whose clock a test sets: `CLOCK_FILE` holds the milliseconds by which the wall clock is off. */
import { readFileSync } from 'node:fs';

const RealDate = Date;
const offMs = () => Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
const realNow = RealDate.now;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [realNow() + offMs()] : args));
  }

  static now() {
    return realNow() + offMs();
  }
};

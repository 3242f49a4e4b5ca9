/** The benchmark tries every server that is asked for, or names it with the reason why not. */
import { expectMeasured, SERVERS, type Server } from '../support/bench-run.js';

test('measures each server of a small run or names it as not tried', () =>
  expectMeasured(Object.keys(SERVERS) as Server[]));

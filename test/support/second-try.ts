/**
 * One second try for test files that run whole servers against the clock: a server, ffmpeg or Redis that gets no processor for
 * seconds fails a correct test. The whole file runs again with its `beforeAll`, so the second try has new servers; the errors of
 * the first are logged. No other test gets one: a race is mended.
 */
import { relative, sep } from 'node:path';
import { jest } from '@jest/globals';

const DEPENDS_ON_SCHEDULER = /^(e2e|faults|interop)\//;

const path = relative(`${import.meta.dirname}/..`, expect.getState().testPath ?? '').replaceAll(sep, '/');
if (DEPENDS_ON_SCHEDULER.test(path)) jest.retryTimes(1, { entireDescribe: true, logErrorsBeforeRetry: true });

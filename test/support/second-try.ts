/**
 * One second try for test files that start programs, sockets or stores. Their timing depends on the scheduler: a server, ffmpeg,
 * Chromium or Redis that gets no processor for seconds fails a correct test. The whole file runs again with its `beforeAll`, so
 * the second try has new servers; the errors of the first are logged. Tests in memory get no second try.
 */
import { relative, sep } from 'node:path';
import { jest } from '@jest/globals';

const STARTS_PROGRAMS =
  /^(abuse|api|contract|dashboard|e2e|faults|fixtures\/rtmps|interop\/server|playback|probe|unit\/(cli|server|store)|vod)/;

const path = relative(`${import.meta.dirname}/..`, expect.getState().testPath ?? '').replaceAll(sep, '/');
if (STARTS_PROGRAMS.test(path)) jest.retryTimes(1, { entireDescribe: true, logErrorsBeforeRetry: true });

/** What `npm test` checks of a sample of the fixtures, for all of them, and those through the judge that it leaves out. */
import { isSlow } from '../support/fixture-sample.js';
import { allFixtures } from '../support/fixtures.js';
import { testByChunks } from '../support/fixtures-by-chunks.js';
import { testByFfprobe } from '../support/fixtures-by-ffprobe.js';
import { testByJudge } from '../support/fixtures-by-judge.js';
import { testByValidate } from '../support/fixtures-by-validate.js';
import { testOverRtmps } from '../support/fixtures-over-rtmps.js';

describe('through the judge', () => testByJudge(allFixtures().filter(isSlow)));

describe('as chunks', () => testByChunks(allFixtures()));

describe('against ffprobe', () => testByFfprobe(allFixtures()));

describe('through airlock validate', () => testByValidate(allFixtures()));

describe('over RTMPS', () => testOverRtmps(allFixtures()));

/** Every fixture over RTMPS and against ffprobe, of which `npm test` takes a sample, and eight hours through `airlock validate`. */
import { isOfHours } from '../support/fixture-sample.js';
import { allFixtures } from '../support/fixtures.js';
import { testByFfprobe } from '../support/fixtures-by-ffprobe.js';
import { testByValidate } from '../support/fixtures-by-validate.js';
import { testOverRtmps } from '../support/fixtures-over-rtmps.js';

describe('against ffprobe', () => testByFfprobe(allFixtures()));

describe('through airlock validate', () => testByValidate(allFixtures().filter(isOfHours)));

describe('over RTMPS', () => testOverRtmps(allFixtures()));

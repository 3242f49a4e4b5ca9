/** What `test/e2e/drain` expects of thirty publishers, for a hundred. */
import { expectAllReturn } from '../support/returning-publishers.js';

test('a hundred publishers return after a restart, with every record exactly once', () => expectAllReturn(100));

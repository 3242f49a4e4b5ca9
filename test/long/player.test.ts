/** What `test/api/uploads/player` expects of MP4, for other containers. */
import { expectPlaysAndSeeks, LONG, openPlayer } from '../support/player.js';

openPlayer();

test.each([
  ['Matroska', 'a.mkv'],
  ['QuickTime with its index at the end', 'a.mov'],
  ['an MPEG transport stream', 'a.ts'],
])('%s plays and seeks', (what, name) => expectPlaysAndSeeks(what, name, LONG));

import { chosenVideos, EVERY_VIDEO, type VideoRow } from '../../../src/dashboard/web/shared/video-list.js';

const day = (of: number): string => `2026-01-0${of}T10:00:00+0000`;

const ROWS: readonly VideoRow[] = [
  { id: '1', title: 'Talk 10', created_time: day(1), length: 60, status: { video_status: 'ready' }, from: { id: '8' } },
  { id: '2', title: 'Talk 9', created_time: day(3), length: 5, status: { video_status: 'processing' } },
  {
    id: '3',
    title: 'News',
    created_time: day(2),
    length: 90,
    status: { video_status: 'ready' },
    live_video: { id: '9' },
  },
  { id: '4', created_time: day(4), status: { video_status: 'upload_failed' }, from: { id: '7', name: 'A Page' } },
  { id: '5', title: 'Draft', created_time: day(5), status: { video_status: 'ready' }, published: false },
  { id: '5', title: 'Draft', created_time: day(5), status: { video_status: 'ready' }, published: false },
];

const ids = (over: Partial<typeof EVERY_VIDEO>) => chosenVideos(ROWS, { ...EVERY_VIDEO, ...over }).map(({ id }) => id);

test.each<[string, Partial<typeof EVERY_VIDEO>, string]>([
  ['newest first, each once', {}, '54231'],
  ['oldest first', { order: 'oldest' }, '13245'],
  ['by title, numbers by value', { order: 'title' }, '45321'],
  ['longest first', { order: 'longest' }, '31254'],
  ['uploads', { kind: 'uploads' }, '5421'],
  ['recordings', { kind: 'recordings' }, '3'],
  ['ready', { state: 'ready' }, '531'],
  ['in progress', { state: 'progress' }, '2'],
  ['failed', { state: 'failed' }, '4'],
  ['not published', { state: 'unpublished' }, '5'],
  ['by a part of the title', { search: ' tALK ' }, '21'],
  ["by the owner's name", { search: 'a page' }, '4'],
])('%s', (_what, choice, wanted) => {
  expect(ids(choice).join('')).toBe(wanted);
});

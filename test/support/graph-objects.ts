/** One object of every kind that the routes name. */
import type { ApiHarness } from './api-harness.js';

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export const FROM = { address: '192.0.2.7', encoder: 'test' };

export function upload(field: string, name: string, bytes: Buffer | string): FormData {
  const form = new FormData();
  form.set(field, new Blob([bytes]), name);
  return form;
}

/** New objects for every placeholder in the table of routes. */
export async function placeholders(harness: ApiHarness): Promise<Record<string, string>> {
  const live = await harness.live();
  await harness.goLive(live);
  const video = await harness.video();
  const poll = await harness.post(`/${video}/polls`, {
    question: 'Tea?',
    options: '["yes","no"]',
    default_open: 'true',
  });
  const comment = await harness.post(`/${video}/comments`, { message: 'Hi' });
  await harness.ask('POST', `/${video}/thumbnails`, { body: upload('source', 't.png', PNG) });
  const thumbnails = await harness.get(`/${video}/thumbnails`);
  const post = await harness.post(`/${video}/shared_posts`, { message: 'Look' });
  const inputs = await harness.get(`/${live}/input_streams`);
  await harness.engine.admit(await harness.keyOf(await harness.live({}, harness.user)), 'live', FROM);
  const errors = await harness.get(`/${harness.user}/errors`);
  return {
    'error-id': errors.body.data[0].id,
    'group-id': harness.group,
    'page-id': harness.page,
    'user-id': harness.user,
    'video-id': video,
    'live-video-id': live,
    live_video_id: live,
    'video-poll-id': poll.body.id,
    video_poll_id: poll.body.id,
    'poll-option-id': poll.body.option_ids[0],
    'comment-id': comment.body.id,
    'thumbnail-id': thumbnails.body.data[0].id,
    'post-id': post.body.id,
    'input-stream-id': inputs.body.data[0].id,
  };
}

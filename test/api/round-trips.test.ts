/** Nested fields cost one round trip per level, not per row. */
import { jest } from '@jest/globals';
import { ApiHarness } from '../support/api-harness.js';

test('nested comments and a list of videos cost one round trip per level', async () => {
  const harness = await ApiHarness.open();
  try {
    const video = await harness.video();
    for (let n = 0; n < 20; n += 1) {
      const token = n % 2 === 0 ? harness.token : harness.strangerToken;
      const comment = (await harness.post(`/${video}/comments`, { message: `${n}` }, { token })).body.id;
      await harness.post(`/${comment}/comments`, { message: 'Reply' });
      await harness.post(`/${comment}/likes`);
    }
    const ask = () =>
      harness.get(`/${video}`, {
        fields:
          'comments.limit(20){from{name},message,comments.limit(1){from,message},likes.limit(2)},thumbnails,tags,from',
      });
    await ask();
    const calls = (['get', 'getMany', 'page', 'pages', 'edgeEntry'] as const).map((name) =>
      jest.spyOn(harness.store.objects, name),
    );
    const { body } = await ask();
    expect(body.comments.data).toHaveLength(20);
    expect(body.comments.data[7].comments.data[0].message).toBe('Reply');
    expect(body.comments.data[7].likes.data[0].name).toBe('Uma User');
    const total = calls.reduce((sum, call) => sum + call.mock.calls.length, 0);
    // The video, its broadcast, the edges, the comments, their authors with their edges, the replies.
    expect(total).toBeLessThanOrEqual(10);
  } finally {
    await harness.close();
  }
});

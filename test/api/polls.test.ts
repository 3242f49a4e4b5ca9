import { ApiHarness, errorOf, idsOf } from '../support/api-harness.js';

let harness: ApiHarness;
let video = '';
beforeAll(async () => {
  harness = await ApiHarness.open();
  video = await harness.video();
});
afterAll(() => harness.close());

describe('polls', () => {
  const options = async (poll: string) =>
    (await harness.get(`/${poll}/poll_options`, { fields: 'text,order,total_votes,is_correct' })).body.data;

  test('can be created only while the broadcast is LIVE, and stand under its video too', async () => {
    const live = await harness.live();
    const ask = () =>
      harness.post(`/${live}/polls`, { question: 'Tea?', options: '["yes","no"]', correct_option: '1' });
    expect(errorOf(await ask())).toMatchObject({ code: 100, message: expect.stringContaining('UNPUBLISHED') });
    await harness.goLive(live);
    const poll = (await ask()).body.id;
    const id = (await harness.get(`/${live}`, { fields: 'video' })).body.video.id;
    for (const root of [live, id]) expect(idsOf(await harness.get(`/${root}/polls`))).toEqual([poll]);
    expect(errorOf(await harness.post(`/${poll}`, { action: 'ATTACH_TO_VIDEO' }))).toMatchObject({ code: 100 });
    await harness.endTo(live, 'VOD');
    expect((await harness.post(`/${poll}`, { action: 'ATTACH_TO_VIDEO' })).body).toEqual({ success: true });
    for (const root of [live, id]) expect(idsOf(await harness.get(`/${root}/polls`))).toEqual([poll]);
  });

  test('update the settings that are sent, with or without an action, and keep the others', async () => {
    const made = await harness.post(`/${video}/polls`, { question: 'Tea?', options: 'yes,no', show_gradient: 'true' });
    const { id } = made.body;
    const fields = 'question,status,show_results,show_gradient,default_open,close_after_voting';
    const read = async () => (await harness.get(`/${id}`, { fields })).body;
    const before = await read();
    expect(before).toMatchObject({ question: 'Tea?', status: 'closed', show_results: false, show_gradient: true });
    expect((await harness.post(`/${id}`, { question: 'Coffee?', show_results: 'true' })).body).toEqual({
      success: true,
    });
    expect(await read()).toEqual({ ...before, question: 'Coffee?', show_results: true });
    await harness.post(`/${id}`, { action: 'SHOW_VOTING', close_after_voting: '1' });
    const open = { question: 'Coffee?', status: 'voting_open', show_results: true, close_after_voting: true };
    expect(await read()).toEqual({ ...before, ...open });
    await harness.post(`/${id}`, { default_open: 'true', show_gradient: 'false' });
    expect(await read()).toEqual({ ...before, ...open, default_open: true, show_gradient: false });
    expect(errorOf(await harness.post(`/${id}`, { question: ' ' })).message).toBe(
      '(#100) The parameter question is required',
    );
  });

  test('take one vote per viewer and follow their actions', async () => {
    const made = await harness.post(`/${video}/polls`, { question: 'Tea?', options: 'yes,no', correct_option: '2' });
    const { id, option_ids: optionIds } = made.body;
    const status = async () => (await harness.get(`/${id}`)).body.status;
    expect(await status()).toBe('closed');
    const vote = (token: string) => harness.post(`/${optionIds[0]}/votes`, {}, { token });
    expect(errorOf(await vote(harness.token))).toMatchObject({ code: 100, message: expect.stringContaining('closed') });
    expect(errorOf(await harness.post(`/${id}`, { action: 'SHOW_RESULTS' }))).toMatchObject({ code: 100 });
    await harness.post(`/${id}`, { action: 'show_voting' });
    expect(await status()).toBe('voting_open');
    const votes = await Promise.all([vote(harness.token), vote(harness.token), vote(harness.strangerToken)]);
    expect(votes.map((each) => each.status).sort()).toEqual([200, 200, 400]);
    expect(await options(id)).toEqual([
      { text: 'yes', order: 0, total_votes: 2, is_correct: false, id: optionIds[0] },
      { text: 'no', order: 1, total_votes: 0, is_correct: true, id: optionIds[1] },
    ]);
    const hidden = await harness.get(
      `/${id}/poll_options`,
      { fields: 'total_votes' },
      { token: harness.strangerToken },
    );
    expect(hidden.body.data[0]).toEqual({ id: optionIds[0] });
    await harness.post(`/${id}`, { action: 'SHOW_RESULTS', show_gradient: 'true' });
    expect((await harness.get(`/${id}`, { fields: 'status,show_gradient' })).body).toMatchObject({
      status: 'results_open',
      show_gradient: true,
    });
    await harness.post(`/${id}`, { action: 'CLOSE' });
    await harness.post(`/${id}`, { action: 'DELETE_POLL' });
    expect(errorOf(await harness.get(`/${id}`))).toMatchObject({ error_subcode: 33 });
    expect(errorOf(await harness.get(`/${optionIds[0]}`))).toMatchObject({ error_subcode: 33 });
  });

  test.each([
    [{ options: 'a,b' }, 'The parameter question is required'],
    [{ question: 'Q' }, 'The parameter options is required'],
    [{ question: ' ', options: 'a,b' }, 'The parameter question is required'],
    [{ question: 'Q', options: '["a",""]' }, 'Param options[1] must not be empty'],
    [{ question: 'Q', options: 'a' }, 'Param options must be a list of at least 2'],
    [{ question: 'Q', options: 'a,b', correct_option: '3' }, 'Param correct_option must be an integer from 1 to 2'],
  ])('%j is refused', async (form, message) => {
    expect(errorOf(await harness.post(`/${video}/polls`, form as Record<string, string>)).message).toBe(
      `(#100) ${message}`,
    );
  });

  test('require a known action or a setting, and cannot be deleted by DELETE', async () => {
    const { id } = (await harness.post(`/${video}/polls`, { question: 'Q', options: 'a,b' })).body;
    expect(errorOf(await harness.post(`/${id}`)).message).toMatch(/^\(#100\) One of the parameters action, question, /);
    expect(errorOf(await harness.post(`/${id}`, { action: 'X' })).code).toBe(100);
    expect(errorOf(await harness.delete(`/${id}`))).toMatchObject({ code: 100 });
  });
});

test('a poll of version 0.1, which is listed under its live video only, stands under the Video too', async () => {
  const live = await harness.live();
  await harness.goLive(live);
  const { video } = (await harness.get(`/${live}`, { fields: 'video' })).body;
  const made: string[] = [];
  for (const question of ['Old?', 'New?']) {
    harness.clock.advance(10);
    const { body } = await harness.post(`/${live}/polls`, { question, options: '["Yes","No"]' });
    made.unshift(body.id);
  }
  const old = made[1] ?? '';
  const poll = await harness.store.objects.get<{ attachedTo?: string }>(old);
  if (poll === undefined) throw new Error('no poll');
  const { attachedTo: _, ...data } = poll.data;
  await harness.store.objects.commit([
    { op: 'put', object: { ...poll, data } },
    { op: 'edgeRemove', owner: video.id, edge: 'polls', member: old },
  ]);
  const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id);
  expect(idsOf(await harness.get(`/${video.id}/polls`))).toEqual(made);
  const first = await harness.get(`/${video.id}/polls`, { limit: '1' });
  const second = await harness.get(`/${video.id}/polls`, { limit: '1', after: first.body.paging.cursors.after });
  expect([idsOf(first), idsOf(second), second.body.paging.next]).toEqual([[made[0]], [old], undefined]);
  const back = await harness.get(`/${video.id}/polls`, { limit: '1', before: second.body.paging.cursors.before });
  expect(idsOf(back)).toEqual([made[0]]);

  await harness.endTo(live, 'VOD');
  await harness.delete(`/${live}`);
  expect(idsOf(await harness.get(`/${video.id}/polls`))).toEqual(made);
});

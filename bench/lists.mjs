// node bench/lists.mjs [--few 1000] [--many 100000] [--reads 200] [--redis redis://…]
// Pages of long lists over HTTP: a list of `many` against one of `few` in the same run, at the beginning, in the middle and
// at the end; only the ratios mean something. Of error records a broadcast keeps 10,000. Memory is the server's, read
// from /proc where there is one.
import { parseArgs } from 'node:util';
import { median, residentMb } from './lib/measure.mjs';
import { faults, serverFolder, startAirlock, stop, withStore } from './lib/server.mjs';

const { values: options } = parseArgs({
  options: {
    few: { type: 'string', default: '1000' },
    many: { type: 'string', default: '100000' },
    reads: { type: 'string', default: '200' },
    redis: { type: 'string' },
  },
});
const BATCH = 1000;
const SIZES = [Number(options.few), Number(options.many)];
const folder = serverFolder(options.redis);

/** Two Pages with their videos, two live videos with their errors. */
async function fill(store, { user_id: userId, page_id: pageId }) {
  const page = await store.objects.get(pageId);
  const lists = [];
  for (const [index, size] of SIZES.entries()) {
    const owner = `${pageId}${index}`;
    const live = `${pageId}9${index}`;
    const at = { createdMs: 1, updatedMs: 1 };
    await store.objects.commit([
      { op: 'put', object: { ...page, id: owner } },
      { op: 'edgeAdd', owner, edge: 'roles', member: userId, score: 1, value: { tasks: ['MANAGE'] } },
      {
        op: 'put',
        object: { id: live, kind: 'live_video', ...at, data: { ownerId: owner, ownerKind: 'page', status: 'VOD' } },
      },
    ]);
    for (let start = 0; start < size; start += BATCH) {
      await store.objects.commit(
        Array.from({ length: BATCH }, (_, n) => {
          const id = `${owner}${String(start + n).padStart(6, '0')}`;
          const data = { ownerId: owner, ownerKind: 'page', title: `Video ${start + n}`, published: true };
          return [
            { op: 'put', object: { id, kind: 'video', ...at, data } },
            { op: 'edgeAdd', owner, edge: 'videos', member: id, score: start + n },
          ];
        }).flat(),
      );
      await store.records.append(faults(live, start + 1, BATCH));
    }
    lists.push({ size, videos: `/${owner}/videos`, errors: `/${live}/errors` });
  }
  return lists;
}

async function read(origin, path, token) {
  const answer = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${token}` } });
  const body = await answer.json();
  if (!answer.ok || body.data.length === 0) throw new Error(`${path}: ${JSON.stringify(body).slice(0, 300)}`);
  return body;
}

/** The cursor before a place of the list: an entry's score is its number, a record's cursor its sequence. */
function cursors(kind, path, size) {
  const owner = path.split('/')[1];
  const kept = kind === 'errors' ? Math.min(size, 10_000) : size;
  const at = (place) => {
    const number = kept - place;
    return kind === 'errors' ? `s${number}` : `${number - 1}:${owner}${String(number - 1).padStart(6, '0')}`;
  };
  const query = (place) => `&after=${Buffer.from(at(place)).toString('base64url')}`;
  return { beginning: '', middle: query(kept / 2), end: query(kept - 30) };
}

const first = await startAirlock(folder);
await stop(first.child);
const lists = await withStore(folder, (store) => fill(store, first.quickstart));
const { child, quickstart } = await startAirlock(folder);
const rows = [];
try {
  const { http_url: origin, access_token: token } = quickstart;
  for (const kind of ['videos', 'errors']) {
    for (const where of ['beginning', 'middle', 'end']) {
      const times = lists.map(() => []);
      for (let round = 0; round < Number(options.reads); round += 1) {
        for (const [index, list] of lists.entries()) {
          const path = `${list[kind]}?limit=25&n=${round}${cursors(kind, list[kind], list.size)[where]}`;
          const started = performance.now();
          await read(origin, path, token);
          times[index].push(performance.now() - started);
        }
      }
      const [few, many] = times.map(median);
      rows.push({
        list: kind,
        page: where,
        ratio: (many / few).toFixed(2),
        'ms of few': few.toFixed(2),
        'ms of many': many.toFixed(2),
      });
    }
  }
  console.log(`pages of 25 in lists of ${SIZES[1]} against ${SIZES[0]}; ${options.redis ? 'Redis' : 'LMDB'}`);
  console.table(rows);
  console.log(`the server holds ${residentMb(child.pid).all.toFixed(0)} MiB`);
} finally {
  await stop(child);
  folder.remove();
}

/** The pages and their data endpoints over HTTP. */
import { SYSTEM_EDGES } from '../../src/ports/index.js';
import { buildPages } from '../support/browser.js';
import { FeedHarness, HEALTH } from './feed-harness.js';

let pages: Awaited<ReturnType<typeof buildPages>>;
let harness: FeedHarness;

beforeAll(async () => {
  pages = await buildPages();
});
afterAll(() => pages.remove());

beforeEach(async () => {
  harness = await FeedHarness.open(pages.root);
});
afterEach(() => harness.close());

const ask = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(harness.httpUrl + path, { redirect: 'manual', ...init });
const withToken = (token: string, method = 'GET'): RequestInit => ({
  method,
  headers: { authorization: `Bearer ${token}` },
});

describe('pages', () => {
  test.each(['/dashboard/', '/dock/', '/docs/', '/check/'])(
    '%s loads only from its own origin, with a nonce of its own',
    async (path) => {
      const answer = await ask(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toContain('unsafe');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const html = await answer.text();
      const nonce = /'nonce-([A-Za-z0-9+/=]{24})'/.exec(policy)?.[1];
      expect(html).toContain(`<meta property="csp-nonce" nonce="${nonce}">`);
      expect((await ask(path)).headers.get('content-security-policy')).not.toContain(nonce);
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|https?:\/\//);
      const assets = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? '');
      expect(assets.length).toBeGreaterThan(1);
      for (const asset of assets) {
        const loaded = await ask(asset);
        expect([asset, loaded.status]).toEqual([asset, 200]);
        expect(loaded.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      }
    },
  );

  test('the page that checks files connects to nothing, and neither do workers: no asset does', async () => {
    const policyOf = async (path: string) => (await ask(path)).headers.get('content-security-policy');
    const check = await ask('/check/');
    expect(check.headers.get('content-security-policy')).toContain("connect-src 'none';");
    expect(await policyOf('/dashboard/')).toContain("connect-src 'self' ws:");
    const [script = ''] = [...(await check.text()).matchAll(/src="([^"]+)"/g)].map(([, path]) => path);
    const [worker] = /assets\/worker-[\w-]+\.js/.exec(await (await ask(script)).text()) ?? [];
    expect(await policyOf(`/dashboard/${worker}`)).toContain("connect-src 'none';");
    expect((await ask(`/dashboard/${worker}`)).status).toBe(200);
  });

  test('answers 304 for an unchanged asset', async () => {
    const html = await (await ask('/dashboard/')).text();
    const asset = /src="(\/[^"]+)"/.exec(html)?.[1] ?? '';
    const etag = (await ask(asset)).headers.get('etag') ?? '';
    const answer = await ask(asset, { headers: { 'if-none-match': etag } });
    expect([answer.status, await answer.text()]).toEqual([304, '']);
  });

  test.each(['/dashboard', '/dock'])('%s redirects to the path with a slash', async (path) => {
    const answer = await ask(path);
    expect([answer.status, answer.headers.get('location')]).toEqual([308, `${path}/`]);
  });

  test.each([
    '/dashboard/../../package.json',
    '/dashboard/%2e%2e/x',
    '/dashboard/assets/',
    '/dashboard/assets/none.js',
    '/dock/x',
  ])('%s is not found', async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  test('the icon that browsers ask for beside other pages leads to the built one', async () => {
    const icon = await ask('/favicon.ico');
    expect([icon.status, icon.headers.get('cache-control')]).toEqual([308, 'no-store']);
    expect((await ask(icon.headers.get('location') ?? '')).headers.get('content-type')).toBe('image/svg+xml');
  });

  test('methods other than GET and HEAD are refused', async () => {
    const answer = await ask('/dashboard/', { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('answers 503 with the build command if the pages were not built', async () => {
    const bare = await FeedHarness.open();
    const answer = await fetch(`${bare.httpUrl}/dashboard/`);
    expect([answer.status, await answer.text()]).toEqual([503, 'The pages are not built. Run: npm run build\n']);
    await bare.close();
  });
});

describe('the list of all broadcasts', () => {
  interface Page {
    readonly broadcasts: readonly { readonly id: string; readonly title: string }[];
    readonly next?: string;
  }
  const page = async (query = '', token = 'page-7'): Promise<Page> =>
    (await (await ask(`/dashboard/data/broadcasts${query}`, withToken(token))).json()) as Page;
  async function make(from: number, to: number, ownerId: string): Promise<void> {
    for (let id = from; id <= to; id++) await harness.live(String(id), { ownerId });
  }

  test('lists each broadcast of all owners once, newest first, in pages', async () => {
    await harness.owner('8', 'A group');
    harness.tokens.set('both', harness.viewer(['7', '8']));
    await make(1_000, 1_059, '7');
    await make(1_060, 1_180, '8');
    await make(1_181, 1_249, '7');
    const seen: string[] = [];
    let next: string | undefined;
    let pages = 0;
    do {
      const answer: Page = await page(next === undefined ? '' : `?after=${next}`, 'both');
      seen.push(...answer.broadcasts.map(({ id }) => id));
      next = answer.next;
      pages++;
    } while (next !== undefined);
    expect(seen).toEqual(Array.from({ length: 250 }, (_, index) => String(1_249 - index)));
    expect(pages).toBe(3);
  });

  test('lists broadcasts of the token in the format of the feed', async () => {
    await harness.owner('8', 'A group');
    await harness.live('1');
    await harness.live('2', { ownerId: '8' });
    await harness.raise('1', 2);
    const { broadcasts, next } = await page();
    expect(next).toBeUndefined();
    const feed = await harness.subscribe();
    await feed.next('synced');
    expect(broadcasts).toEqual([feed.of('broadcast').at(-1)?.broadcast]);
    await feed.close();
  });

  test('searches all broadcasts by title, owner and id', async () => {
    await harness.live('5', { title: 'Harvest festival' });
    await make(1_000, 1_120, '7');
    expect((await page('?search=HARVEST')).broadcasts.map(({ id }) => id)).toEqual(['5']);
    expect((await page('?search=1077')).broadcasts.map(({ id }) => id)).toEqual(['1077']);
    expect((await page('?search=a%20page')).broadcasts).toHaveLength(100);
    expect(await page('?search=nothing')).toEqual({ broadcasts: [] });
  });

  test('filters all broadcasts by their state, and counts them', async () => {
    await make(1_000, 1_120, '7');
    await harness.live('10', { status: 'LIVE', stream: 'connected', title: 'Harvest' });
    await harness.live('11', { status: 'VOD', stream: 'ended', title: 'Harvest' });
    await harness.raise('10', 1);
    const ids = async (query: string) => (await page(query)).broadcasts.map(({ id }) => id);
    expect(await ids('?filter=air')).toEqual(['10']);
    expect(await ids('?filter=errors')).toEqual(['10']);
    expect(await ids('?filter=ended')).toEqual(['11']);
    expect(await ids('?filter=ended&search=winter')).toEqual([]);
    expect(await ids('?filter=waiting')).toHaveLength(100);
    const counts = async (query: string): Promise<unknown> =>
      (await ask(`/dashboard/data/broadcast-counts${query}`, withToken('page-7'))).json();
    expect(await counts('')).toEqual({ all: 123, air: 1, errors: 1, waiting: 121, ended: 1 });
    expect(await counts('?search=harvest')).toEqual({ all: 2, air: 1, errors: 1, waiting: 0, ended: 1 });
    expect((await ask('/dashboard/data/broadcasts?filter=lost', withToken('page-7'))).status).toBe(400);
    expect((await ask('/dashboard/data/broadcast-counts')).status).toBe(401);
  });

  test('requires a token and a valid cursor', async () => {
    expect((await ask('/dashboard/data/broadcasts')).status).toBe(401);
    expect((await ask('/dashboard/data/broadcasts', withToken('page-7', 'POST'))).status).toBe(405);
    expect((await ask('/dashboard/data/broadcasts?after=x', withToken('page-7'))).status).toBe(400);
  });
});

describe('data', () => {
  test('observed values over time require permission to read the broadcast', async () => {
    await harness.live('1');
    harness.history.tick([{ liveVideoId: '1', health: HEALTH }]);
    const answer = await ask('/dashboard/data/history/1', withToken('page-7'));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      step_ms: 2_000,
      points: [[expect.any(Number), 2_512, 2_512, 2_512, 128, 30, 2_000, 1280, 720, 30]],
    });
    harness.tokens.set('other', harness.viewer(['8']));
    expect((await ask('/dashboard/data/history/1')).status).toBe(401);
    expect((await ask('/dashboard/data/history/1', withToken('unknown'))).status).toBe(401);
    expect((await ask('/dashboard/data/history/1', withToken('other'))).status).toBe(404);
    expect((await ask('/dashboard/data/history/2', withToken('page-7'))).status).toBe(404);
    expect((await ask('/dashboard/data/history/1', withToken('page-7', 'POST'))).status).toBe(405);
    expect((await ask('/dashboard/data/secrets/1', withToken('page-7'))).status).toBe(404);
  });

  test('a link to a report opens that report alone, without a token', async () => {
    await harness.live('1');
    const made = await ask('/dashboard/data/report-links/1', withToken('page-7', 'POST'));
    expect(made.status).toBe(201);
    const { path } = (await made.json()) as { path: string };
    expect(harness.shared).toEqual(['1']);
    const report = await ask(path);
    expect([report.status, report.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(report.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:; base/,
    );
    expect(report.headers.get('referrer-policy')).toBe('no-referrer');
    expect((await ask(path.replace('/1/', '/2/'))).status).toBe(404);
    expect((await ask(path, { method: 'POST' })).status).toBe(405);
    harness.tokens.set('reader', harness.viewer(['7'], { mayShare: async () => false }));
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect((await ask('/dashboard/data/report-links/1', withToken('reader', method))).status).toBe(403);
    }
    const listed = await ask('/dashboard/data/report-links/1', withToken('page-7'));
    expect(await listed.json()).toEqual({ links: [{ id: 'link-1' }] });
    const end = async (link: string) =>
      (await ask(`/dashboard/data/report-links/1?link=${link}`, withToken('page-7', 'DELETE'))).status;
    expect([await end('link-2'), await end('link-1')]).toEqual([404, 200]);
    const ended = await ask(path);
    expect([ended.status, ended.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await ended.text()).toMatch(/Airlock<\/div>.*This link to a report has ended/s);
  });

  test('the state of the server and all running broadcasts are for tokens that read every owner', async () => {
    await harness.live('1');
    await harness.store.objects.commit([{ op: 'edgeAdd', ...SYSTEM_EDGES.connected, member: '1', score: 1 }]);
    for (const path of ['/dashboard/data/server', '/dashboard/data/server-history', '/dashboard/data/running']) {
      expect((await ask(path, withToken('page-7'))).status).toBe(403);
      expect((await ask(path)).status).toBe(401);
    }
    harness.tokens.set('operator', harness.viewer([], { readsAll: true }));
    const running = await ask('/dashboard/data/running', withToken('operator'));
    expect(await running.json()).toEqual({ broadcasts: ['1'], more: false });
    const server = await ask('/dashboard/data/server', withToken('operator'));
    expect(await server.json()).toMatchObject({ roles: [{ role: 'web', restarts: 0 }], publishers: 0 });
    const history = await ask('/dashboard/data/server-history', withToken('operator'));
    expect(await history.json()).toEqual({
      columns: ['at', 'cpu_percent', 'resident_bytes', 'publishers', 'received_kbps', 'loop_delay_ms'],
      points: [[60_000, 1.5, 2e8, 1, 2_500, 0.4]],
    });
    expect((await ask('/dashboard/data/server', withToken('operator', 'POST'))).status).toBe(405);
  });

  test('a still is a JPEG with its age, or nothing, for those who may read the broadcast', async () => {
    await harness.live('1');
    const still = (token: string, method?: string) => ask('/dashboard/data/stills/1', withToken(token, method));
    const none = await still('page-7');
    expect([none.status, await none.text()]).toEqual([204, '']);
    harness.stills.set('1', { jpeg: Uint8Array.of(0xff, 0xd8), ageMs: 3_200 });
    const made = await still('page-7');
    expect([made.status, made.headers.get('content-type'), made.headers.get('age')]).toEqual([200, 'image/jpeg', '3']);
    expect([...new Uint8Array(await made.arrayBuffer())]).toEqual([0xff, 0xd8]);
    harness.tokens.set('other', harness.viewer(['8']));
    expect([(await still('other')).status, (await still('none')).status]).toEqual([404, 401]);
    expect((await still('page-7', 'POST')).status).toBe(405);
    harness.tokens.set('errors-only', harness.viewer(['7'], { mayPicture: async () => false }));
    const hidden = await still('errors-only');
    expect([hidden.status, await hidden.text()]).toEqual([204, '']);
  });

  test('creating and revoking dock links requires permission to change the broadcast', async () => {
    await harness.live('1');
    const made = await ask('/dashboard/data/dock-links/1', withToken('page-7', 'POST'));
    expect([made.status, await made.json()]).toEqual([
      201,
      { path: '/dock/#1.dock-1', expires: new Date(4_000_000_000_000).toISOString() },
    ]);
    const withSetup = await ask('/dashboard/data/dock-links/1?encoder_setup=true', withToken('page-7', 'POST'));
    expect(await withSetup.json()).toMatchObject({ path: '/dock/#1.dock-1-setup' });
    const revoked = await ask('/dashboard/data/dock-links/1', withToken('page-7', 'DELETE'));
    expect([revoked.status, await revoked.json()]).toEqual([200, { revoked: 1 }]);
    harness.tokens.set('reader', harness.viewer(['7'], { mayShare: async () => false }));
    expect((await ask('/dashboard/data/dock-links/1', withToken('reader', 'POST'))).status).toBe(403);
  });
});

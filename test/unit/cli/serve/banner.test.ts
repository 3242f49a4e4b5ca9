/** What `serve` prints when it is ready. */
import { type BannerFacts, banner } from '../../../../src/cli/serve/banner.js';

const ROWS = 24;
const COLUMNS = 80;

const facts = (isTerminal: boolean): BannerFacts => {
  const url = 'rtmps://localhost:1936/live/';
  const key = `382888268936128211-${'a'.repeat(32)}`;
  return {
    isTerminal,
    onlyOn: '127.0.0.1',
    streamUrlBase: url,
    httpUrl: 'http://localhost:8080',
    dashboardUrl: 'http://localhost:8080/dashboard/',
    authorityFile: '/srv/airlock-server/live/certs/ca.crt',
    quickstartPath: '/srv/airlock-server/live/data/quickstart.json',
    quickstart: {
      page_id: '1',
      group_id: '2',
      user_id: '3',
      access_token: 't'.repeat(40),
      live_video_id: '382888269030914589',
      stream_url_base: url,
      stream_key: key,
      secure_stream_url: `${url}${key}`,
      http_url: 'http://localhost:8080',
      dashboard_url: 'http://localhost:8080/dashboard/',
      rtmps_port: 1936,
      http_port: 8080,
      sign_in_url: 'http://localhost:8080/dashboard/#/sign-in/CODE',
      dock_url: 'http://localhost:8080/dock/#7.DOCK',
    },
  };
};

test('fits a screen of 24 lines', () => {
  const text = banner(facts(true));
  const rows = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / COLUMNS)), 0);
  expect(rows).toBeLessThanOrEqual(ROWS);
});

test('shows key, sign-in link, dock link and ffmpeg line on a terminal only; elsewhere where they are', () => {
  const { stream_key: key, sign_in_url: signIn = '', dock_url: dock = '' } = facts(true).quickstart ?? {};
  const shown = banner(facts(true));
  expect(shown).toContain(`  Stream key    ${key}\n`);
  expect(shown).toContain(`  Dashboard     ${signIn}\n`);
  expect(shown).toContain(`  OBS dock      ${dock}\n`);
  expect(shown).toMatch(new RegExp(`^ffmpeg .*${key}"$`, 'm'));
  const logged = banner(facts(false));
  for (const secret of [String(key).slice(-32), 'CODE', 'DOCK', 't'.repeat(40)]) expect(logged).not.toContain(secret);
  expect(logged).toContain(facts(false).quickstartPath);
  expect(logged).toMatch(/^Sign in: npx airlock sign-in$/m);
});

test('names the documents', () => {
  expect(banner(facts(false))).toContain('(documents: http://localhost:8080/help/)\n');
});

test('says that other machines do not reach a server that listens on loopback, below that it is ready', () => {
  expect(banner(facts(true))).toMatch(
    /^\nAirlock is ready\.\nBut not for other machines: it listens on 127\.0\.0\.1 only/,
  );
  expect(banner({ ...facts(true), onlyOn: undefined })).not.toContain('listens on');
});

/** What `serve` prints when it is ready. */
import { banner } from '../../../../src/cli/serve/banner.js';

const ROWS = 24;
const COLUMNS = 80;

test('fits a screen of 24 lines', () => {
  const url = 'rtmps://localhost:1936/live/';
  const key = `382888268936128211-${'a'.repeat(32)}`;
  const text = banner({
    streamUrlBase: url,
    httpUrl: 'http://localhost:8080',
    dashboardUrl: `http://localhost:8080/dashboard/#token=${'t'.repeat(40)}`,
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
    },
  });
  const rows = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / COLUMNS)), 0);
  expect(rows).toBeLessThanOrEqual(ROWS);
});

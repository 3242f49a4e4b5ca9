// Receives the webhook of Airlock and passes errors on to a chat room or to a mail address. Needs Node alone.
//
//   WEBHOOK_SECRET  what `npx airlock webhook-secret` prints
//   CHAT_URL        incoming webhook of the chat (Slack, Mattermost, Rocket.Chat): gets {"text": …}
//   MAIL_TO         or this address, by the program in SENDMAIL (default: sendmail)
//   PORT            default: 9099
import { spawn } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { WEBHOOK_SECRET = '', CHAT_URL, MAIL_TO, SENDMAIL = 'sendmail', PORT = '9099' } = process.env;
const BODY_MAX = 1_048_576;
/** Deliveries are repeated until they are answered with 2xx, so the last ones are remembered. */
const REMEMBERED = 1_000;
const seen = new Set();

if (WEBHOOK_SECRET === '' || (CHAT_URL === undefined) === (MAIL_TO === undefined)) {
  process.stderr.write('set WEBHOOK_SECRET, and either CHAT_URL or MAIL_TO\n');
  process.exit(2);
}

/** Either signature may be right: while a server key is rotated, the second one is by the new secret. */
function isSigned(body, headers) {
  const expected = Buffer.from(`sha256=${createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex')}`);
  return ['x-hub-signature-256', 'x-airlock-signature-256-next'].some((name) => {
    const given = Buffer.from(String(headers[name] ?? ''));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** One line for each error that is open; warnings and cleared errors are left to the dashboard. */
function messages(body) {
  const changes = JSON.parse(body).entry.flatMap((entry) => entry.changes);
  return changes
    .filter(({ field, value }) => field === 'live_video_errors' && value.error.severity === 'error')
    .filter(({ value }) => value.error.cleared_time === undefined)
    .map(({ value: { id, error } }) => `Live video ${id}: ${error.description}`);
}

async function toChat(text) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(CHAT_URL, { method: 'POST', headers, body: JSON.stringify({ text }) });
  if (!answer.ok) throw new Error(`the chat answered with HTTP ${answer.status}`);
}

function toMail(text) {
  return new Promise((resolve, reject) => {
    const mailer = spawn(SENDMAIL, ['-i', MAIL_TO], { stdio: ['pipe', 'inherit', 'inherit'] });
    mailer.on('error', reject);
    mailer.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${SENDMAIL} ended with ${code}`))));
    mailer.stdin.end(`To: ${MAIL_TO}\nSubject: Airlock: ${text.slice(0, 60)}\n\n${text}\n`);
  });
}

async function handle(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_MAX) return 413;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!isSigned(body, request.headers)) return 401;
  const delivery = String(request.headers['x-airlock-delivery']);
  if (seen.has(delivery)) return 200;
  for (const text of messages(body)) await (CHAT_URL === undefined ? toMail(text) : toChat(text));
  seen.add(delivery);
  if (seen.size > REMEMBERED) seen.delete(seen.values().next().value);
  return 200;
}

const server = createServer((request, response) => {
  handle(request).then(
    (status) => response.writeHead(status).end(),
    (error) => {
      // Anything but 2xx makes Airlock deliver it again later.
      process.stderr.write(`${error.message}\n`);
      response.writeHead(502).end();
    },
  );
});
server.listen(Number(PORT), () => process.stdout.write(`listening on port ${server.address().port}\n`));

/** Runs the commands of docs/api.md unchanged in one shell. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiHarness } from '../support/api-harness.js';

const document = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'api.md'), 'utf8');
const blocks = [...document.matchAll(/^```sh( stream)?\n([\s\S]*?)^```/gm)].map(([, stream, script]) => ({
  isStream: stream !== undefined,
  script: script ?? '',
}));

/** One bash process for all blocks, since later blocks use variables of earlier ones. */
class Shell {
  readonly #child;
  #out = '';
  #err = '';
  #onData: () => void = () => undefined;

  constructor(variables: Record<string, string>) {
    this.#child = spawn('bash', ['-o', 'pipefail'], { env: { ...process.env, ...variables } });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#out += chunk;
      this.#onData();
    });
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#err += chunk;
    });
  }

  /** Returns the output; rejects with it if a command failed. */
  async run(script: string): Promise<string> {
    this.#out = '';
    this.#err = '';
    const ended = new Promise<void>((resolve) => {
      this.#onData = () => {
        if (/<<\d+>>\n/.test(this.#out)) resolve();
      };
    });
    // `set -e` would exit the shell, so the first failing command is reported instead.
    this.#child.stdin.write(`failed=0; trap 'failed=$?' ERR\n${script}\necho "<<$failed>>"\n`);
    await ended;
    expect({ script, failed: /<<(\d+)>>/.exec(this.#out)?.[1], err: this.#err }).toEqual({
      script,
      failed: '0',
      err: '',
    });
    return this.#out.replace(/<<\d+>>\n/, '');
  }

  close(): void {
    this.#child.kill();
  }
}

test('every command of docs/api.md works, in order', async () => {
  const harness = await ApiHarness.open();
  const shell = new Shell({
    URL: harness.url,
    TOKEN: harness.token,
    PAGE: harness.page,
  });
  try {
    expect(blocks.length).toBeGreaterThan(8);
    const output: string[] = [];
    for (const { isStream, script } of blocks) {
      // Same effect as the ffmpeg command: the stream is connected and valid data has arrived.
      if (isStream) await harness.goLive((await shell.run('echo $LIVE')).trim());
      else output.push(await shell.run(script));
    }
    const all = output.join('\n');
    expect(all).toContain('"status":"UNPUBLISHED"');
    expect(all).toContain('"message":"Good morning"');
    expect(all).toContain('Paula Page');
  } finally {
    shell.close();
    await harness.close();
  }
});

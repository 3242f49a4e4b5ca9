/** The package as other programs use it: installed alone in an empty project, without dependencies, and in a browser. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContext, SourceTextModule } from 'node:vm';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { flvFile } from '../support/flv-writer.js';
import { folderOfFile } from '../support/folders.js';
import { makeMedia } from '../support/media-files.js';
import { installPacked } from '../support/packed.js';
import { synthStream } from '../support/synth-stream.js';
import { ROOT, read } from './source-files.js';

const project = folderOfFile('airlock-packed-');
const installed = join(project, 'node_modules/airlock');
const recording = flvFile(synthStream({ durationMs: 12_000, keyFrameIntervalMs: 5_000 }));
let tarball = new Uint8Array(0);

beforeAll(() => {
  tarball = new Uint8Array(readFileSync(installPacked(project)));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'recording.flv'), recording);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function node(args: readonly string[], options: { readonly input?: Uint8Array; readonly env?: object } = {}) {
  const env = { PATH: process.env.PATH, ...options.env };
  return spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8', ...options, env });
}

/** Runs a module of the project. */
function program(code: string, env = {}) {
  writeFileSync(join(project, 'program.mjs'), code);
  return node(['program.mjs'], { env });
}

test('publint has nothing to say, and neither has attw of a package of ES modules', async () => {
  const { messages } = await publint({ pack: { tarball: tarball.slice().buffer }, strict: true });
  expect(messages).toEqual([]);
  const result = await checkPackage(createPackageFromTarballData(tarball));
  const problems = 'problems' in result ? result.problems : undefined;
  // Its profile `esm-only`: neither `require` nor the resolution of Node 10, which has no `exports`.
  const ofModules = problems?.filter((problem) => {
    const kind = 'resolutionKind' in problem ? problem.resolutionKind : undefined;
    return kind !== 'node10' && kind !== 'node16-cjs';
  });
  expect(ofModules).toEqual([]);
});

test.each(['airlock', 'airlock/browser'])('%s loads less than 400 KB of its own and nothing of the server', (name) => {
  const folder = join(project, 'coverage');
  mkdirSync(folder);
  const { stderr, status } = program(`await import('${name}');`, { NODE_V8_COVERAGE: folder });
  expect([status, stderr]).toEqual([0, '']);
  const loaded = readdirSync(folder).flatMap((file) =>
    (JSON.parse(readFileSync(join(folder, file), 'utf8')).result as { url: string }[])
      .map(({ url }) => url)
      .filter((url) => url.startsWith('file:'))
      .map((url) => fileURLToPath(url)),
  );
  rmSync(folder, { recursive: true });
  const own = [...new Set(loaded)].filter((path) => !path.endsWith('program.mjs'));
  expect(own.length).toBeGreaterThan(1);
  expect(own.filter((path) => dirname(path) !== join(installed, 'dist/library'))).toEqual([]);
  expect(own.filter((path) => /readers-/.test(path))).toEqual([]);
  expect(own.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(400 * 1024);
});

test('importing it leaves no listener, timer or handle behind, and no global but the settings of zod', () => {
  const { stdout, stderr } = program(`
    const state = () => [
      ...Reflect.ownKeys(globalThis).map(String),
      ...process.eventNames().map((name) => 'event ' + String(name)),
      ...process.getActiveResourcesInfo().filter((kind) => kind !== 'FSReqPromise'),
    ];
    const before = state();
    await import('airlock');
    await import('airlock/browser');
    const after = state();
    console.log(JSON.stringify([after.filter((name) => !before.includes(name)), after.length - before.length]));`);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual([['__zod_globalConfig', '__zod_globalRegistry'], 2]);
});

test('two judges with different bounds run side by side', () => {
  const { stdout, stderr } = program(`
    import { readFileSync } from 'node:fs';
    import { createJudge, explain } from 'airlock';
    const spec = { name: 'wide', live: { keyFrameInterval: { maxMs: 6000 } } };
    const judges = [createJudge(), createJudge({ spec }), createJudge({ spec: JSON.stringify(spec) })];
    const bytes = readFileSync('recording.flv');
    for (let at = 0; at < bytes.length; at += 4096) for (const judge of judges) judge.write(bytes.subarray(at, at + 4096));
    const codes = judges.map((judge) => judge.end().errors.filter((error) => error.error_code === 6208).length);
    const numbers = [explain(6208), explain(6208, { spec })].map(({ raisedWhen }) => /\\d+/.exec(raisedWhen)[0]);
    console.log(JSON.stringify([codes, numbers]));`);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual([
    [1, 0, 0],
    ['4050', '6050'],
  ]);
});

test('airlock/browser runs where there is nothing of Node', async () => {
  const { performance, TextDecoder, TextEncoder, Blob, structuredClone } = globalThis;
  const context = createContext({ performance, TextDecoder, TextEncoder, Blob, structuredClone });
  const modules = new Map<string, SourceTextModule>();
  const moduleAt = (path: string): SourceTextModule => {
    const module =
      modules.get(path) ??
      new SourceTextModule(readFileSync(path, 'utf8'), {
        context,
        identifier: path,
        importModuleDynamically: (specifier) => loaded(specifier, path),
      });
    modules.set(path, module);
    return module;
  };
  const imported = (specifier: string, from: string): SourceTextModule => {
    if (!specifier.startsWith('./')) throw new Error(`imports ${specifier}`);
    return moduleAt(resolve(dirname(from), specifier));
  };
  const loaded = async (specifier: string, from: string): Promise<SourceTextModule> => {
    const module = imported(specifier, from);
    if (module.status === 'unlinked') await module.link((name, by) => imported(name, by.identifier));
    await module.evaluate();
    return module;
  };
  const entry = await loaded('./browser.js', join(installed, 'dist/library/browser.js'));
  const { validateFile, explain } = entry.namespace as typeof import('../../src/library/browser.js');
  const { outcome, errors } = await validateFile(new Blob([recording]));
  expect(outcome).toBe('error');
  expect(errors.map((record) => record.error_code)).toContain(6208);
  expect(explain(6208).type).toBe('KEY_FRAME_INTERVAL_TOO_LONG');
  // Readers that are loaded later need nothing of Node either.
  const mp4 = new Blob([readFileSync(makeMedia(join(project, 'square.mp4'), { size: '240x240' }))]);
  expect(await validateFile(mp4)).toMatchObject({ spec: 'live', container: 'mp4', stream: { width: 240 } });
  const upload = await validateFile(mp4, { meantAs: 'upload' });
  expect(upload.errors.map((record) => record.error_code)).toEqual([6702]);
});

const CONSUMER = `
import { AirlockError, CATALOGUE, createJudge, explain, SPEC, validateFile } from 'NAME';
import type { FileResult, Finding, Judge, JudgeOptions } from 'NAME';

const options: JudgeOptions = { mode: 'live', profile: '720p30', analysis: false, spec: SPEC };
const judge: Judge = createJudge(options);
const findings: readonly Finding[] = judge.write(new Uint8Array(3), 40);
for await (const { change, record } of judge) {
  const kind: 'raised' | 'counted' | 'cleared' = change;
  const time: number = record.stream_time_ms;
  console.log(kind, time);
}
const result: FileResult = judge.end();
const width: number | undefined = result.stream?.width;
const other: FileResult = await validateFile(FILE, { onProgress: ({ bytes }) => console.log(bytes + 1) });
const text: string = explain('KEY_FRAME_INTERVAL_TOO_LONG').remedy;
const codes: number[] = CATALOGUE.map(({ code }) => code);
// @ts-expect-error There is no such mode.
createJudge({ mode: 'stream' });
console.log(findings, width, other, text, codes, new AirlockError('ENDED', '').code === 'ENDED');
`;

test('its types are whole, with the strictest settings, without those of Node, for both ways of resolution', () => {
  for (const [name, file] of [
    ['airlock', "'recording.flv'"],
    ['airlock/browser', 'new Blob([])'],
  ] as const) {
    writeFileSync(
      join(project, `${name.replace('/', '-')}.mts`),
      CONSUMER.replaceAll('NAME', name).replace('FILE', file),
    );
  }
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck', 'false'];
  const plain = ['--noEmit', '--target', 'es2023', '--lib', 'es2023,dom', '--types', ''];
  for (const ways of [['nodenext'], ['esnext', '--moduleResolution', 'bundler']]) {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = node([tsc, ...plain, ...strict, '--module', ...ways, 'airlock.mts', 'airlock-browser.mts']);
    expect(stdout).toBe('');
  }
});

/** Interfaces of results and options, of which each member has a docstring too. */
const DESCRIBED =
  /^export interface (Judge|JudgeOptions|JudgingOptions|FileOptions|Finding|FileRecord|FileResult|ProfileResult|Progress|PacketEvidence|Evidence|RuleVerdict|ObservedHealth|Explanation|MediaTag|ByteSource)\b/;

test('every public name has a docstring, and so has every member of options and results', () => {
  const types = join(installed, 'dist/types');
  const bare: string[] = [];
  const found = new Set<string>();
  const exported = new Set(publicNames(types));
  for (const path of readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.d.ts'),
  )) {
    let isDescribed = false;
    let before = '';
    for (const line of readFileSync(join(types, path), 'utf8').split('\n')) {
      const name = /^export (?:declare )?(?:const|function|class|interface|type) (\w+)/.exec(line)?.[1];
      if (name !== undefined) isDescribed = DESCRIBED.test(line);
      const isMember = isDescribed && /^ {4}(?:readonly )?[\w[]/.test(line);
      if (name !== undefined && exported.has(name)) found.add(name);
      const isPublic = isMember || (name !== undefined && exported.has(name));
      if (isPublic && !before.endsWith('*/')) bare.push(`${path}: ${line.trim()}`);
      before = line;
    }
  }
  expect(bare).toEqual([]);
  expect([...exported].filter((name) => !found.has(name))).toEqual([]);
});

function publicNames(types: string): string[] {
  const texts = ['index', 'browser', 'types'].map((name) => readFileSync(join(types, `library/${name}.d.ts`), 'utf8'));
  return texts.flatMap((text) => [
    ...[...text.matchAll(/^export (?:type )?\{([^}]+)\}/gm)].flatMap(([, names = '']) => names.match(/\w+/g) ?? []),
    ...[...text.matchAll(/^export (?:declare )?(?:function|interface) (\w+)/gm)].map(([, name = '']) => name),
  ]);
}

const samples = [...read('docs/library.md').matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = '']) => code);

/** Part of the output of each sample of docs/library.md, in their order. */
const OUTPUTS = [
  '6208 4067',
  'raised 6208 4067',
  '6208 4067\nupload flv 1280',
  '6208 1000 strict',
  'true UNKNOWN_PROFILE',
  '97 2500',
];

test('the document has a sample for each output that is compared', () => {
  expect(samples).toHaveLength(OUTPUTS.length);
});

test.each(OUTPUTS.map((output, i) => [samples[i]?.split('\n')[0], output, samples[i]] as const))(
  'the sample of docs/library.md that begins with `%s` prints %s',
  (_line, output, code = '') => {
    const { stdout, stderr, status } = program(code);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(output);
  },
);

test('the examples judge a file, a stream that grows, and by own bounds', () => {
  cpSync(join(ROOT, 'examples/library'), project, { recursive: true });
  const file = node(['file.mjs', 'recording.flv']);
  expect(file).toMatchObject({ status: 1, stderr: '' });
  expect(file.stdout).toMatch(/^recording\.flv: error\n {2}error 6208 at 4067 ms: /m);
  const growing = node(['growing.mjs'], { input: recording });
  expect(growing.stderr).toBe('');
  expect(growing.stdout).toContain('raised 6208 at 4067 ms');
  expect(growing.stdout).toContain('ended: error');
  const bounds = node(['bounds.mjs', 'recording.flv', join(ROOT, 'examples/specs/strict-720p.json')]);
  expect(bounds).toMatchObject({ status: 0, stderr: '' });
  expect(bounds.stdout).toMatch(/^published: 6208$/m);
  expect(bounds.stdout).toMatch(/^own bounds: .*6208/m);
});

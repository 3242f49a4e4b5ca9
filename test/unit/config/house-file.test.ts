/** Files of an operator's own bounds: the published schema, the samples, and the default file. UPDATE_DOCS=1 writes the schema. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { renderSpec } from '../../../src/cli/spec/render.js';
import { readHouseFile } from '../../../src/config/house-file.js';
import { houseSchema } from '../../../src/config/house-schema.js';
import { CATALOGUE } from '../../../src/rules/registry/catalogue.js';
import { overlaid } from '../../../src/spec/house.js';
import { LIVE } from '../../../src/spec/live.js';
import { TOLERANCES } from '../../../src/spec/tolerances.js';
import { UPLOAD } from '../../../src/spec/upload.js';

const root = new URL('../../../', import.meta.url);
const schemaFile = new URL('docs/spec.schema.json', root);
const folder = mkdtempSync(join(tmpdir(), 'airlock-house-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(content: unknown): string {
  const path = join(folder, 'house.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const validate = () => new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(schemaFile, 'utf8')));

test('docs/spec.schema.json is the schema by which files are read', () => {
  const title = 'Bounds over the published specification (AIRLOCK_SPEC, airlock validate --spec FILE.json)';
  const schema = { title, ...z.toJSONSchema(houseSchema, { io: 'input' }) };
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  if (process.env.UPDATE_DOCS === '1') writeFileSync(schemaFile, text);
  expect(JSON.parse(readFileSync(schemaFile, 'utf8'))).toEqual(JSON.parse(text));
});

test('the default file equals the built-in specification', () => {
  const text = renderSpec('json');
  const isValid = validate();
  expect([isValid(JSON.parse(text)), isValid.errors]).toEqual([true, null]);
  const house = readHouseFile(fileWith(text));
  expect(overlaid(LIVE, house.live)).toEqual(LIVE);
  expect(overlaid(UPLOAD, house.upload)).toEqual(UPLOAD);
  expect(house.conditions).toEqual([]);
  expect(house.severities).toEqual(Object.fromEntries(CATALOGUE.map(({ code, severity }) => [code, severity])));
  const values = Object.entries(TOLERANCES).map(([group, rows]) => [
    group,
    Object.fromEntries(Object.entries(rows).map(([name, { value }]) => [name, value])),
  ]);
  expect(house.tolerances).toEqual(Object.fromEntries(values));
});

test.each(readdirSync(new URL('examples/specs/', root)))('the sample %s conforms to the schema and is read', (name) => {
  const file = new URL(`examples/specs/${name}`, root);
  const isValid = validate();
  expect([isValid(JSON.parse(readFileSync(file, 'utf8'))), isValid.errors]).toEqual([true, null]);
  expect(readHouseFile(fileURLToPath(file)).name).toMatch(/ \(sha256 [0-9a-f]{12}\)$/);
});

test.each([
  ['{', /is not JSON/],
  [{ live: { keyFrameIntervall: {} } }, /live: Unrecognized key/],
  [{ live: { profiles: [] } }, /live\.profiles/],
  [{ live: { keyFrameInterval: { maxMs: '4 s' } } }, /live\.keyFrameInterval\.maxMs/],
  [{ conditions: [{ when: {} }] }, /must name a profile, a codec or a class/],
  [{ conditions: [{ when: { class: 60 }, videoBitrateKbps: { min: 9, max: 3 } }] }, /min must not be above max/],
  [{ errors: [{ code: 6208, severity: 'fatal' }] }, /errors\.0\.severity/],
])('refuses %j and names the place', (content, message) => {
  expect(() => readHouseFile(fileWith(content))).toThrow(message);
});

test('names a file that does not exist', () => {
  expect(() => readHouseFile(join(folder, 'none.json'))).toThrow(/none\.json does not exist$/);
});

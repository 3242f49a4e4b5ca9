// Judges a recording by the published bounds and by a house's own, side by side: node bounds.mjs recording.flv [bounds.json]
import { readFileSync } from 'node:fs';
import { explain, validateFile } from 'airlock';

const [path = '-', file] = process.argv.slice(2);
const own =
  file === undefined
    ? { name: 'short GOPs', live: { keyFrameInterval: { recommendedMs: 1000, maxMs: 1000 } } }
    : readFileSync(file, 'utf8');

const [published, house] = await Promise.all([validateFile(path), validateFile(path, { spec: own })]);
const codes = ({ errors }) => errors.map((record) => record.error_code);
console.log(`published: ${codes(published).join(' ') || 'no findings'}`);
console.log(`own bounds: ${codes(house).join(' ') || 'no findings'}`);
for (const code of codes(house)) console.log(`${code}: ${explain(code, { spec: own }).raisedWhen}`);

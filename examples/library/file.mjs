// Judges recordings and prints what to change: node file.mjs recording.flv …
import { validateFile } from 'airlock';

let isClean = true;
for (const path of process.argv.slice(2)) {
  const { outcome, problem, errors } = await validateFile(path);
  console.log(`${path}: ${outcome}${problem === undefined ? '' : `, ${problem}`}`);
  for (const { error_code, severity, stream_time_ms, remediation } of errors)
    console.log(`  ${severity} ${error_code} at ${stream_time_ms} ms: ${remediation}`);
  if (outcome === 'error' || outcome === 'unreadable') isClean = false;
}
process.exitCode = isClean ? 0 : 1;

/** Checks the export of traces, where the environment asks for it. */
import { createRequire } from 'node:module';
import { installLine, TRACE_PACKAGES, traceExport } from '../../config/traces.js';
import { type CheckResult, ok, warn } from './check.js';

export function checkTraces(env: Readonly<Record<string, string | undefined>>, isInstalled = resolves): CheckResult[] {
  const traces = traceExport(env);
  if (traces === undefined) return [];
  if (traces.problem !== undefined) return [warn('traces', `none are exported: ${traces.problem}`)];
  const missing = Object.keys(TRACE_PACKAGES).filter((name) => !isInstalled(name));
  if (missing.length === 0) return [ok('traces', `exported by OTLP, ${traces.protocol}`)];
  return [warn('traces', `none are exported: packages are missing; run ${installLine(missing)}`)];
}

function resolves(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

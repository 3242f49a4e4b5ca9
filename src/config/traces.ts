/** Whether this server exports traces, by the standard environment variables of OpenTelemetry. They are no settings of ours. */

/** Optional dependencies, loaded only for this. With the versions of package.json: newer ones need another version of the API. */
export const TRACE_PACKAGES: Readonly<Record<string, string>> = {
  '@opentelemetry/exporter-trace-otlp-http': '0.223.0',
  '@opentelemetry/exporter-trace-otlp-proto': '0.223.0',
  '@opentelemetry/resources': '2.12.0',
  '@opentelemetry/sdk-trace-node': '2.12.0',
};

/** Command to run where some of them are missing. */
export function installLine(missing: readonly string[]): string {
  return `npm install ${missing.map((name) => `${name}@${TRACE_PACKAGES[name]}`).join(' ')}`;
}

export type TraceExport =
  | { readonly protocol: 'http/protobuf' | 'http/json'; readonly problem?: undefined }
  /** Asked for, but not as this server can do it. */
  | { readonly problem: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** Any of these asks for traces. */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

export function traceExport(env: Environment): TraceExport | undefined {
  // An empty value is no value: the specification of these variables says so.
  const value = (name: string): string | undefined => env[name]?.trim() || undefined;
  if (value('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const exporter = value('OTEL_TRACES_EXPORTER');
  if (exporter === 'none') return undefined;
  if (exporter === undefined && ENDPOINTS.every((name) => value(name) === undefined)) return undefined;
  if (exporter !== undefined && exporter !== 'otlp') {
    return { problem: `OTEL_TRACES_EXPORTER is "${exporter}": this server exports traces with "otlp" only` };
  }
  const protocol =
    value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? value('OTEL_EXPORTER_OTLP_PROTOCOL') ?? 'http/protobuf';
  if (protocol === 'http/protobuf' || protocol === 'http/json') return { protocol };
  return {
    problem: `the protocol of the OTLP exporter is "${protocol}": this server exports traces with "http/protobuf" or "http/json"`,
  };
}

/** What the standard variables of OpenTelemetry ask of this server, and what `airlock doctor` says of it. */
import { checkTraces } from '../../../src/cli/doctor/machine-checks.js';
import { traceExport } from '../../../src/config/traces.js';

const AT = 'http://collector:4318';

test.each([
  ['nothing', {}, undefined],
  ['an empty value', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, undefined],
  ['a name alone', { OTEL_SERVICE_NAME: 'a' }, undefined],
  ['an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: AT }, 'http/protobuf'],
  ['an endpoint of traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${AT}/v1/traces` }, 'http/protobuf'],
  ['the exporter', { OTEL_TRACES_EXPORTER: 'otlp' }, 'http/protobuf'],
  ['JSON', { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http/json'],
  [
    'a protocol of traces',
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: AT,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    },
    'http/json',
  ],
  ['no exporter', { OTEL_EXPORTER_OTLP_ENDPOINT: AT, OTEL_TRACES_EXPORTER: 'none' }, undefined],
  ['no SDK', { OTEL_EXPORTER_OTLP_ENDPOINT: AT, OTEL_SDK_DISABLED: 'True' }, undefined],
])('%s', (_what, env, protocol) => {
  expect(traceExport(env)).toEqual(protocol === undefined ? undefined : { protocol });
});

test.each([
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER is "zipkin".*"otlp" only/],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: AT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    /is "grpc".*"http\/protobuf" or "http\/json"/,
  ],
])('%j cannot be done', (env, problem) => {
  expect(traceExport(env)?.problem).toMatch(problem);
  expect(checkTraces(env)).toEqual([{ level: 'warn', what: 'traces', finding: expect.stringMatching(problem) }]);
});

test('doctor has a line on traces where they are asked for, with the packages that are missing', () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: AT };
  expect(checkTraces({})).toEqual([]);
  expect(checkTraces(env)).toMatchObject([{ level: 'ok', finding: 'exported by OTLP, http/protobuf' }]);
  const without = checkTraces(env, (name) => !name.endsWith('resources'));
  expect(without).toMatchObject([
    {
      level: 'warn',
      finding: expect.stringMatching(/packages are missing; run npm install @opentelemetry\/resources@2[.\d]+$/),
    },
  ]);
});

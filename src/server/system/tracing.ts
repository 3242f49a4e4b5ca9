/** Loads the SDK of OpenTelemetry, which records the spans of this process and sends them to a collector. */
import { codeOf } from '../../lib/errors.js';
import { reportTracingProblems } from '../../lib/spans.js';
import { withTimeout } from '../../lib/timeout.js';
import type { Log } from '../../ports/index.js';
import { systemClock } from './system.js';

export interface TracingOptions {
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly role: string;
  readonly log: Log;
}

/** Within the time that the supervisor gives a process to end. Spans beyond it are lost. */
const FLUSH_MS = 1_500;
/** A collector that is down fails every few seconds; one line in this time tells it. */
const PROBLEM_EVERY_MS = 60_000;

/** Resolves with the function that sends what is left, or undefined where the SDK is not installed. */
export async function startTracing({
  protocol,
  role,
  log,
}: TracingOptions): Promise<(() => Promise<void>) | undefined> {
  reportProblems(log);
  try {
    const [sdk, resources, { OTLPTraceExporter }] = await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/resources'),
      protocol === 'http/json'
        ? import('@opentelemetry/exporter-trace-otlp-http')
        : import('@opentelemetry/exporter-trace-otlp-proto'),
    ]);
    const own = resources.resourceFromAttributes({ 'service.name': 'airlock', 'airlock.role': role });
    // The variables replace our own values: OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
    const fromEnv = resources.detectResources({ detectors: [resources.envDetector] });
    const provider = new sdk.NodeTracerProvider({
      resource: resources.defaultResource().merge(own).merge(fromEnv),
      spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
    });
    provider.register();
    return () =>
      withTimeout(
        provider.shutdown().catch((error: unknown) => log.debug({ error }, 'the last spans could not be sent')),
        FLUSH_MS,
        () => log.warn({}, 'the last spans could not be sent in time'),
      );
  } catch (error) {
    if (!isMissing(error)) throw error;
    return undefined;
  }
}

/** `ERR_MODULE_NOT_FOUND` for a package itself, `MODULE_NOT_FOUND` for one that it needs. */
function isMissing(error: unknown): boolean {
  return codeOf(error).endsWith('MODULE_NOT_FOUND');
}

function reportProblems(log: Log): void {
  let atMs = Number.NEGATIVE_INFINITY;
  reportTracingProblems((message) => {
    const nowMs = systemClock.monotonicMs();
    if (nowMs - atMs < PROBLEM_EVERY_MS) return;
    atMs = nowMs;
    log.warn({ problem: message.slice(0, 500) }, 'the export of traces has a problem');
  });
}

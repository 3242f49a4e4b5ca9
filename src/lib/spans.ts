/**
 * Spans of OpenTelemetry. They are recorded only in a process that loaded the SDK; without it these functions cost next
 * to nothing. A span never holds a message of an error, a query or a key: exporters send spans to other machines.
 */
import {
  type Attributes,
  context,
  DiagLogLevel,
  diag,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { codeOf } from './errors.js';

export type { Attributes, Span };

const SCOPE = 'airlock';

// Looked up for each span: the SDK may be registered after this module is loaded.
const tracer = () => trace.getTracer(SCOPE);

interface SpanFacts {
  readonly kind?: 'internal' | 'client' | 'consumer';
  readonly attributes?: Attributes;
  /** W3C trace context of what caused this work, in another process. */
  readonly causedBy?: unknown;
}

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

/** Runs `work` in a span, which ends when `work` settles. */
export function inSpan<Result>(
  name: string,
  { kind = 'internal', attributes = {}, causedBy }: SpanFacts,
  work: (span: Span) => Promise<Result>,
): Promise<Result> {
  const links = linksTo(causedBy);
  const root = kind === 'consumer';
  return tracer().startActiveSpan(name, { kind: KINDS[kind], attributes, links, root }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      markFailed(span, errorType(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Runs `work` as part of a span that is being recorded; without one, `work` runs alone. */
export function inChildSpan<Result>(name: string, facts: SpanFacts, work: () => Promise<Result>): Promise<Result> {
  return isRecording() ? inSpan(name, facts, work) : work();
}

function isRecording(): boolean {
  return trace.getActiveSpan()?.isRecording() === true;
}

export function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The code of an error, or its name: never its message. */
function errorType(error: unknown): string {
  return codeOf(error) || (error instanceof Error ? error.name : 'unknown');
}

/** A span for an HTTP request, as a part of the trace that its header `traceparent` names. `handle` runs in it. */
export function inRequestSpan(method: string, headers: object, handle: (span: Span) => void): void {
  const caller = propagation.extract(ROOT_CONTEXT, headers);
  const attributes = { 'http.request.method': method };
  tracer().startActiveSpan(method, { kind: SpanKind.SERVER, attributes }, caller, handle);
}

const named = new WeakSet<Span>();

/** `GET /{video-id}`: names the span of the request. The first name stays, since the calls of a batch are parts of its request. */
export function nameRoute(name: string): void {
  const span = trace.getActiveSpan();
  if (span === undefined || named.has(span)) return;
  named.add(span);
  span.updateName(name);
  span.setAttribute('http.route', name.slice(name.indexOf(' ') + 1));
}

/** Adds facts to the span that is being recorded, if there is one. */
export function addToSpan(attributes: Attributes): void {
  const span = trace.getActiveSpan();
  if (span?.isRecording()) span.setAttributes(attributes);
}

/** The work of the active span failed, and the error is handled within it. */
export function failSpan(error: unknown): void {
  const span = trace.getActiveSpan();
  if (span?.isRecording()) markFailed(span, errorType(error));
}

/** The header `traceparent` for work that another process does later. */
export function traceparent(): string | undefined {
  if (!isRecording()) return undefined;
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

function linksTo(causedBy: unknown): Link[] {
  if (typeof causedBy !== 'string') return [];
  const found = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent: causedBy }));
  return found === undefined ? [] : [{ context: found }];
}

/** Fields of a log line that is written within a span. */
export function traceFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const span = trace.getActiveSpan();
  if (span?.isRecording() !== true) return {};
  const { traceId, spanId } = span.spanContext();
  return { trace_id: traceId, span_id: spanId };
}

/** Passes each warning and error of the SDK to `report`, such as spans that could not be sent. */
export function reportTracingProblems(report: (message: string) => void): void {
  const ignore = () => undefined;
  // The first part is the name of the component, an error comes as it is.
  const tell = (...parts: unknown[]) =>
    report(parts.map((part) => (part instanceof Error ? part.message : String(part))).join(': '));
  const logger = { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}

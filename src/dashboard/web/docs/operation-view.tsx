/** One operation: its parameters with a field each, samples, the fields of its answer, and what the server answered to a try. */
import { type JSX, type SubmitEvent, useState } from 'react';
import { Button } from '../ui/button.js';
import { Callout } from '../ui/callout.js';
import { buttonClass, FIELD, LINK, MUTED } from '../ui/classes.js';
import { CopyButton } from '../ui/copy-field.js';
import { type Interface, isFile, type Operation, type Param, resolved, type Schema, typeText } from './document.js';
import { Code, Line, Prose } from './prose.js';
import { type Result, send } from './send.js';

interface OperationProps {
  readonly described: Interface;
  readonly operation: Operation;
  readonly isSignedIn: boolean;
}

export function OperationView({ described, operation, isSignedIn }: OperationProps): JSX.Element {
  const { description, samples, answer } = operation;
  return (
    <div className="border-t border-line px-4 py-3">
      {description === '' ? null : <Prose text={description} />}
      <Try {...{ described, operation, isSignedIn }} />
      {samples.length === 0 ? null : <Samples operation={operation} />}
      {answer === undefined ? null : <Answer described={described} schema={answer} />}
    </div>
  );
}

function Try({ described, operation, isSignedIn }: OperationProps): JSX.Element {
  const { method, params, needsToken } = operation;
  const [result, setResult] = useState<Result | string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    setBusy(true);
    try {
      setResult(await send(operation, values));
    } catch {
      setResult('The server cannot be reached. Check your connection.');
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} autoComplete="off">
      <ul className="divide-y divide-line">
        {params.map((param) => (
          <ParamRow key={`${param.place} ${param.name}`} {...{ described, param }} />
        ))}
      </ul>
      <div className="my-3 flex flex-wrap items-center gap-3">
        {needsToken && !isSignedIn ? (
          <p className={MUTED}>
            <a className={LINK} href="../dashboard/">
              Sign in
            </a>{' '}
            to send requests from here, as the user of the dashboard.
          </p>
        ) : (
          <button type="submit" className={buttonClass(method === 'DELETE' ? 'danger' : 'main')} disabled={isBusy}>
            Send {method}
          </button>
        )}
        {result === undefined ? null : <Button onClick={() => setResult(undefined)}>Clear</Button>}
      </div>
      <div role="status">{typeof result === 'object' ? <Answered result={result} /> : null}</div>
      {typeof result === 'string' ? (
        <Callout tone="fail" role="alert">
          {result}
        </Callout>
      ) : null}
    </form>
  );
}

const MAX_SHOWN = 200_000;

function Answered({ result: { status, tookMs, text } }: { result: Result }): JSX.Element {
  const isLong = text.length > MAX_SHOWN;
  return (
    <>
      <p className="flex flex-wrap items-center gap-3">
        <b className={status < 400 ? 'text-pass' : 'text-fail'}>Status {status}</b>
        <span className={MUTED}>{tookMs.toFixed(0)} ms</span>
        <CopyButton label="the answer" text={text} />
        {isLong ? (
          <span className={MUTED}>The first {MAX_SHOWN.toLocaleString('en')} characters are shown.</span>
        ) : null}
      </p>
      <Code text={text.slice(0, MAX_SHOWN)} />
    </>
  );
}

function ParamRow({ described, param }: { described: Interface; param: Param }): JSX.Element {
  const { name, place, isRequired, text, schema } = param;
  return (
    <li className="grid items-start gap-x-4 gap-y-1 py-2.5 md:grid-cols-[minmax(0,220px)_minmax(0,1fr)_minmax(0,260px)]">
      <span>
        <code className="font-mono text-sm font-semibold">{name}</code>
        {isRequired ? <span className="ml-2 text-xs font-semibold text-warn">required</span> : null}
        <small className="block">
          {place === 'form' ? '' : `${place}, `}
          {typeText(described, schema)}
        </small>
      </span>
      <span className="text-sm">
        <Line text={text} />
      </span>
      <Input param={param} />
    </li>
  );
}

function Input({ param }: { param: Param }): JSX.Element {
  const { name, isRequired, schema } = param;
  const common = { name, 'aria-label': name, required: isRequired, className: `${FIELD} w-full text-sm` };
  if (isFile(param)) return <input {...common} type="file" required={false} />;
  const choices = schema.type === 'boolean' ? [true, false] : schema.enum;
  if (choices === undefined) return <input {...common} type="text" spellCheck={false} />;
  return (
    <select {...common}>
      <option value="">{isRequired ? 'Choose' : 'Not sent'}</option>
      {choices.map((each) => (
        <option key={String(each)}>{String(each)}</option>
      ))}
    </select>
  );
}

function Samples({ operation: { samples } }: { operation: Operation }): JSX.Element {
  const [chosen, setChosen] = useState(0);
  const sample = samples[chosen] ?? samples[0];
  return (
    <section aria-label="Samples">
      <div className="mt-4 flex flex-wrap items-center gap-2">
        <h3 className="mr-2">Sample</h3>
        {samples.map(({ label }, at) => (
          <Button key={label} aria-pressed={at === chosen} onClick={() => setChosen(at)}>
            {label}
          </Button>
        ))}
        {sample === undefined ? null : <CopyButton label="the sample" text={sample.source} />}
      </div>
      {sample === undefined ? null : <Code text={sample.source} />}
    </section>
  );
}

/** A list is shown by the fields of what is in it. */
function Answer({ described, schema }: { described: Interface; schema: Schema }): JSX.Element | null {
  const whole = resolved(described, schema);
  const list = whole.schema.properties?.data;
  const { schema: shown, name } = list?.items === undefined ? whole : resolved(described, list.items);
  const fields = Object.entries(fieldsOf(described, shown));
  if (fields.length === 0) return null;
  const what = name ?? shown.title ?? 'the answer';
  return (
    <details className="mt-4">
      <summary className="font-semibold">
        {list === undefined ? 'Answer' : 'Answer: a list'}, fields of {what}{' '}
        <span className="font-normal text-muted">{fields.length}</span>
      </summary>
      <ul className="mt-1 divide-y divide-line">
        {fields.map(([field, each]) => (
          <li
            key={field}
            className="grid gap-x-4 py-1.5 text-sm md:grid-cols-[minmax(0,220px)_minmax(0,160px)_minmax(0,1fr)]"
          >
            <code className="font-mono font-semibold">{field}</code>
            <span className="text-muted">{typeText(described, each)}</span>
            <span>
              <Line text={each.description ?? ''} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function fieldsOf(described: Interface, schema: Schema): Readonly<Record<string, Schema>> {
  const parts = (schema.allOf ?? []).map((each) => fieldsOf(described, resolved(described, each).schema));
  return Object.assign({}, ...parts, schema.properties);
}

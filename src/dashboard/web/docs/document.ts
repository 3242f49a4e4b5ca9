/** The parts of `/openapi.json` that the page shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Content {
  readonly schema: Schema;
}

type Contents = Readonly<Record<string, Content>>;

export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

interface Described {
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** Empty: no token is needed. */
  readonly security?: readonly unknown[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly required?: boolean;
    readonly description?: string;
    readonly schema?: Schema;
    readonly content?: Contents;
  }[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Contents }>>;
  readonly 'x-codeSamples'?: readonly CodeSample[];
}

export interface Interface {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface Param {
  readonly name: string;
  readonly place: 'path' | 'query' | 'form';
  readonly isRequired: boolean;
  readonly text: string;
  readonly schema: Schema;
}

export interface Operation {
  /** In the address. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly needsToken: boolean;
  readonly params: readonly Param[];
  readonly answer: Schema | undefined;
  readonly samples: readonly CodeSample[];
}

/** In the order of the document. */
export function operationsOf({ paths }: Interface): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => operationOf(path, method.toUpperCase(), described)),
  );
}

function operationOf(path: string, method: string, described: Described): Operation {
  const { operationId, summary, description = '', tags, security, responses } = described;
  return {
    id: operationId ?? `${method}${path.replaceAll(/[^A-Za-z]+/g, '_')}`,
    method,
    path,
    tag: tags[0] ?? '',
    summary,
    description,
    needsToken: security?.length !== 0,
    params: [...paramsOf(described), ...formOf(described)],
    answer: Object.values(responses['200']?.content ?? {})[0]?.schema,
    samples: described['x-codeSamples'] ?? [],
  };
}

function paramsOf({ parameters = [] }: Described): readonly Param[] {
  return parameters.map(({ name, in: place, required = false, description = '', schema, content = {} }) => ({
    name,
    place,
    isRequired: required,
    text: description,
    schema: schema ?? Object.values(content)[0]?.schema ?? {},
  }));
}

/** The form with files, if the path takes any, has the other fields too. */
function formOf({ requestBody }: Described): readonly Param[] {
  const { content = {} } = requestBody ?? {};
  const { properties = {}, required = [] } =
    (content['multipart/form-data'] ?? Object.values(content)[0])?.schema ?? {};
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    place: 'form' as const,
    isRequired: required.includes(name),
    text: schema.description ?? '',
    schema,
  }));
}

/** By tag, in the order of the document; without those that do not have all words of the search. */
export function groupsOf(operations: readonly Operation[], search: string): ReadonlyMap<string, readonly Operation[]> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) {
    const text = textOf(operation);
    if (!words.every((word) => text.includes(word))) continue;
    const group = groups.get(operation.tag) ?? [];
    group.push(operation);
    groups.set(operation.tag, group);
  }
  return groups;
}

const textOf = ({ method, path, summary, tag, params }: Operation): string =>
  [method, path, summary, tag, ...params.map(({ name }) => name)].join(' ').toLowerCase();

export const isFile = ({ schema }: Param): boolean => schema.format === 'binary';

/** The schema that a reference leads to, and its name. */
export function resolved(described: Interface, schema: Schema): { readonly schema: Schema; readonly name?: string } {
  const name = schema.$ref?.split('/').at(-1);
  const found = name === undefined ? undefined : described.components.schemas[name];
  return name === undefined || found === undefined ? { schema } : { schema: found, name };
}

/** A type as people write it. */
export function typeText(described: Interface, schema: Schema): string {
  const { schema: found, name } = resolved(described, schema);
  if (name !== undefined) return name;
  if (found.enum !== undefined) return found.enum.map((each) => JSON.stringify(each)).join(' | ');
  const parts = found.anyOf ?? found.oneOf;
  if (parts !== undefined) return [...new Set(parts.map((each) => typeText(described, each)))].join(' | ');
  if (found.format === 'binary') return 'file';
  if (found.items !== undefined) return `list of ${typeText(described, found.items)}`;
  const type = typeof found.type === 'string' ? found.type : (found.type ?? ['any']).join(' | ');
  return [type, found.format === undefined ? '' : `(${found.format})`, boundsText(found)].filter(Boolean).join(' ');
}

function boundsText({ minimum, maximum, minLength, maxLength }: Schema): string {
  const isReal = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  const [low, high] = [isReal(minimum) ? minimum : undefined, isReal(maximum) ? maximum : undefined];
  if (low !== undefined || high !== undefined) return rangeText(low, high, '');
  return minLength === undefined && maxLength === undefined ? '' : rangeText(minLength, maxLength, ' characters');
}

function rangeText(low: number | undefined, high: number | undefined, unit: string): string {
  if (low === undefined) return `at most ${high}${unit}`;
  return high === undefined ? `at least ${low}${unit}` : `${low} to ${high}${unit}`;
}

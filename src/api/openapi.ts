/** OpenAPI 3.1 document of the interface, generated from the route table and the validation schemas. */
import { z } from 'zod';
import { GRAPH, type GraphNode, type GraphRoute, SERVICE_PATHS } from '../spec/graph.js';
import type { NodeType } from './graph/node-type.js';
import { pagingShape } from './graph/paging.js';
import { isEdge, type Registry, type RouteHandler } from './graph/registry.js';
import { GRAPH_VERSION } from './http/respond.js';
import { bool, list, text } from './params/kinds.js';
import { paramText } from './reference/param-texts.js';
import { samplesOf } from './reference/samples.js';
import { encoderParams } from './root/encoder-settings.js';
import { debugParams, exchangeParams } from './root/token-endpoints.js';

type Json = Record<string, unknown>;

const FIELDS = { fields: text().optional() };

/** Parameters of root paths, which have no node. */
const ROOT: Readonly<Record<string, z.ZodObject>> = {
  'GET /': z.object({ ids: list(text()), ...FIELDS }),
  'POST /': z.object({
    batch: list(z.object({ method: text(), relative_url: text() })),
    include_headers: bool().optional(),
  }),
  'GET /debug_token': debugParams,
  'GET /oauth/access_token': exchangeParams,
  'POST /oauth/access_token': exchangeParams,
  'GET /video_encoder_settings': encoderParams,
};

/** File fields, which the parameter schemas do not contain. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  'POST /{page-id}/videos': ['source', 'video_file_chunk'],
  'POST /{group-id}/videos': ['source', 'video_file_chunk'],
  'POST /{video-id}/captions': ['captions_file'],
  'POST /{video-id}/thumbnails': ['source'],
};

const DESCRIPTION = `Any path may begin with a version (\`/${GRAPH_VERSION}\`). Send the token as \`access_token\` in the query or the body, or
in the Authorization header.

Samples for the shell use \`URL\`, \`TOKEN\` and the IDs as variables. Those in JavaScript use the package facebook-nodejs-business-sdk:

\`\`\`javascript
const { FacebookAdsApi, LiveVideo, Page } = require('facebook-nodejs-business-sdk');
Object.defineProperty(FacebookAdsApi, 'GRAPH', { get: () => URL });
const api = FacebookAdsApi.init(TOKEN);
\`\`\`
`;

/** File parameters of paths whose usual call sends a file. */
const ONLY_FILE: Readonly<Record<string, string>> = {
  'POST /{video-id}/captions': 'captions_file',
  'POST /{video-id}/thumbnails': 'source',
};

export function openApiDocument(graph: Registry, serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of GRAPH) {
    const path = route.path;
    const operations = paths[path] ?? {};
    operations[route.method.toLowerCase()] = operationOf(route, route.key, graph);
    paths[path] = operations;
  }
  for (const { method, path, purpose } of SERVICE_PATHS) {
    paths[path] = {
      [method.toLowerCase()]: {
        summary: purpose,
        tags: ['Server'],
        security: [],
        responses: { 200: { description: 'OK' } },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Video and Live Video Service',
      version: GRAPH_VERSION,
      description: DESCRIPTION,
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }, { query: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        query: { type: 'apiKey', in: 'query', name: 'access_token' },
      },
      schemas: { ...typeSchemas(graph), Error: ERROR_SCHEMA, Success: SUCCESS_SCHEMA },
    },
  };
}

function operationOf(route: GraphRoute, key: string, graph: Registry): Json {
  const entry = route.node === null ? undefined : graph.route(route.method, route.node, route.edge);
  const handler = entry?.handler;
  const edge = handler !== undefined && isEdge(handler) ? handler : undefined;
  const shape = schemaOf(key, handler);
  const { properties: plain = {}, required = [] } = z.toJSONSchema(shape, { io: 'output', unrepresentable: 'any' }) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const described = (name: string, schema: Json) => ({ ...schema, description: paramText(key, name) });
  const properties = Object.fromEntries(
    Object.entries(plain).map(([name, schema]) => [name, described(name, schema)] as const),
  );
  const files = Object.fromEntries(
    (FILES[key] ?? []).map((name) => [name, described(name, { type: 'string', format: 'binary' })] as const),
  );
  const inBody = route.method === 'POST';
  return {
    operationId: key.replaceAll(/[^A-Za-z]+/g, '_').replaceAll(/^_|_$/g, ''),
    summary: route.purpose,
    tags: [route.node === null ? 'Root' : NAMES[route.node]],
    parameters: [
      ...[...route.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        description: paramText(key, name ?? ''),
        schema: { type: 'string' },
      })),
      ...(inBody
        ? []
        : Object.entries(properties).map(([name, schema]) => queryParameter(name, schema, required.includes(name)))),
    ],
    ...(inBody ? { requestBody: requestBody(properties, required, files) } : {}),
    responses: {
      200: {
        description: 'OK',
        content: { 'application/json': { schema: answerSchema(route, handler, edge && graph.rowType(edge)) } },
      },
      400: ERROR_ANSWER,
      401: ERROR_ANSWER,
      403: ERROR_ANSWER,
      500: ERROR_ANSWER,
    },
    'x-codeSamples': samplesOf(route, GRAPH_VERSION, ONLY_FILE[key]),
  };
}

function schemaOf(key: string, handler: RouteHandler | undefined): z.ZodObject {
  const own = ROOT[key] ?? (typeof handler === 'object' ? handler.params : z.object({}));
  if (handler !== undefined && isEdge(handler)) return z.object({ ...own.shape, ...pagingShape, ...FIELDS });
  return z.object({ ...own.shape, ...FIELDS });
}

function queryParameter(name: string, { description, ...schema }: Json, required: boolean): Json {
  const isScalar = typeof schema.type === 'string' && schema.type !== 'object' && schema.type !== 'array';
  return {
    name,
    in: 'query',
    required,
    description,
    // Objects and lists are JSON text; lists of scalars may also be comma-separated.
    ...(isScalar ? { schema } : { content: { 'application/json': { schema } } }),
  };
}

function requestBody(
  properties: Record<string, Json>,
  required: readonly string[],
  files: Readonly<Record<string, Json>>,
): Json {
  const schema = { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
  return {
    content: {
      'application/json': { schema },
      'application/x-www-form-urlencoded': { schema },
      ...(Object.keys(files).length > 0
        ? { 'multipart/form-data': { schema: { ...schema, properties: { ...properties, ...files } } } }
        : {}),
    },
  };
}

function answerSchema(route: GraphRoute, handler: RouteHandler | undefined, row: NodeType | undefined): Json {
  if (row !== undefined) {
    return {
      type: 'object',
      required: ['data'],
      properties: {
        data: { type: 'array', items: reference(row) },
        paging: { type: 'object' },
        summary: { type: 'object' },
      },
    };
  }
  if (route.method === 'DELETE') {
    const success = { $ref: '#/components/schemas/Success' };
    const answers = typeof handler === 'object' && 'answers' in handler ? handler.answers : undefined;
    if (answers === undefined) return success;
    const ids = Object.entries(answers).map(([name, description]) => [name, { type: 'string', description }]);
    return { allOf: [success, { type: 'object', properties: Object.fromEntries(ids) }] };
  }
  if (route.method === 'GET' && route.edge === null && route.node !== null)
    return { $ref: `#/components/schemas/${NAMES[route.node]}` };
  return { type: 'object' };
}

const NAMES: Readonly<Record<GraphNode, string>> = {
  group: 'Group',
  page: 'Page',
  user: 'User',
  video: 'Video',
  live_video: 'LiveVideo',
  input_stream: 'LiveVideoInputStream',
  forward: 'Forward',
  poll: 'VideoPoll',
  poll_option: 'VideoPollOption',
  comment: 'Comment',
  thumbnail: 'VideoThumbnail',
  post: 'Post',
  error: 'LiveVideoError',
};

const reference = (type: NodeType): Json =>
  type.node === undefined ? typeSchema(type) : { $ref: `#/components/schemas/${NAMES[type.node]}` };

function typeSchemas(graph: Registry): Record<string, Json> {
  return Object.fromEntries(
    (Object.entries(NAMES) as [GraphNode, string][]).map(([node, name]) => [name, typeSchema(graph.nodeType(node))]),
  );
}

function typeSchema(node: NodeType): Json {
  const properties = [...node.fields].map(([name, { type, description }]) => [
    name,
    { ...jsonType(type), description },
  ]);
  return { type: 'object', title: node.typeName, properties: Object.fromEntries(properties) };
}

function jsonType(type: string): Json {
  if (type.startsWith('list<')) return { type: 'array', items: jsonType(type.slice(5, -1)) };
  if (type === 'int') return { type: 'integer' };
  if (type === 'float') return { type: 'number' };
  if (type === 'bool') return { type: 'boolean' };
  if (type === 'datetime') return { type: 'string', format: 'date-time' };
  if (type === 'string' || type === 'numeric string') return { type: 'string' };
  return /^[A-Z][a-z]|^object$/.test(type) ? { type: 'object' } : {};
}

const SUCCESS_SCHEMA = { type: 'object', properties: { success: { type: 'boolean' } } };

const ERROR_SCHEMA = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'code', 'fbtrace_id'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        code: { type: 'integer' },
        error_subcode: { type: ['string', 'integer'] },
        error_data: { type: 'object' },
        is_transient: { type: 'boolean' },
        error_user_title: { type: 'string' },
        error_user_msg: { type: 'string' },
        fbtrace_id: { type: 'string' },
      },
    },
  },
};

const ERROR_ANSWER = {
  description: 'Error',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

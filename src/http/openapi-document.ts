import swagger from '@fastify/swagger'
import Fastify, { type RouteOptions } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import type { Wire } from './wire.ts'

type Json = Record<string, unknown>
type MediaTypes = Record<string, { schema?: Json; example?: unknown }>
type Operation = {
  parameters?: Json[]
  requestBody?: { required?: boolean; content?: MediaTypes }
  responses?: Record<string, { description?: string; content?: MediaTypes; headers?: Json }>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json> }
}

/** A route, as the document describes it. */
export type DescribedRoute = Pick<RouteOptions, 'method' | 'url' | 'schema' | 'config'>

/** Makes the OpenAPI document of these routes, on a server that has them without their handlers and is dropped afterwards. */
export async function createDocument(
  { title, version }: { readonly title: string; readonly version: string },
  wires: readonly Wire[],
  routes: readonly DescribedRoute[],
): Promise<object> {
  const used = new Set(routes.flatMap(({ schema }) => schema?.tags ?? []))
  const app = Fastify({ exposeHeadRoutes: false })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title,
        version,
        description: 'A memory server for AI agents. Every memory has its provenance.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as { name: string },
      },
      servers: [{ url: '/', description: 'This server' }],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          apiKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'ApiKey <key>' },
        },
      },
      security: [{ bearer: [] }, { apiKey: [] }],
      tags: Object.entries(tags)
        .filter(([name]) => used.has(name))
        .map(([name, description]) => ({ name, description })),
    },
    transform: (parts) => {
      const { schema, url } = jsonSchemaTransform(parts)
      const { access, isKeyed } = parts.route.config ?? {}
      const security = access === 'public' ? { security: [] } : {}
      return { schema: { ...schema, ...security, ...(isKeyed ? { headers: idempotencyHeader } : {}) }, url }
    },
    transformObject: (parts) => complete(jsonSchemaTransformObject(parts) as unknown as Document) as never,
  })
  for (const { method, url: pattern, schema, config = {} } of routes) {
    // A parameter that takes the rest of the path has no name in a pattern.
    const url = pattern.replace(/\/\*$/, '/:path')
    const errors = wires.find(({ owns }) => owns(url))?.errorSchema
    const response = { ...(schema?.response as object | undefined), '4xx': errors, '5xx': errors }
    app.route({ method, url, config, schema: { ...schema, response }, handler: async () => {} })
  }
  await app.ready()
  return app.swagger()
}

const tags = {
  memory: 'Entries by ref: put, read as of any position, search, and follow changes.',
  memories: 'Memories extracted from source events, each with its provenance.',
  mem0: 'Memories in the API of mem0, for its own client.',
  sources: 'Source events: what services sent, word for word, and when.',
  writers: 'Source services and their authority, from 0 to 100.',
  claims: 'What sources say about the same thing, and which content wins.',
  quarantine: 'Memories below the trust floor, which a person releases or rejects.',
  runs: 'Runs of workflows: start, control, replay, inspect.',
  interrupts: 'Questions that a run asks a person, and their answers.',
  workflows: 'Registered workflows and their versions.',
  workspace: 'Files of the tenant, with versions. Runs see them as they were when the run began.',
  agents: 'Agents of the tenant and the memory they have.',
  webhooks: 'Receivers of run events.',
  compactions:
    'Entries that became one: summaries of many old entries, and merges of entries that say the same. Each can be undone.',
  distillations: 'Archives of whole refs within a token budget, which can be undone.',
  heartbeats: 'What is observed at an interval, and what its changes start.',
  commitments: 'What entries ask for at a time or after an event, such as reminders.',
  embeddings: 'Vectors for search by meaning.',
  forget: 'Erasure on request, with signed receipts.',
  containments: 'What came from a compromised source, taken out of memory until it is released.',
  export: 'A tenant’s memory as a file, and back.',
  audit: 'The hash-chained record of every commit.',
  jobs: 'Background work and its schedules.',
  secrets: 'Values that are replaced by a marker wherever they occur.',
  rules: 'Patterns that are redacted, and passes over stored memory.',
  settings: 'Policies of a tenant.',
  keys: 'API keys of a tenant and their scopes.',
  tenants: 'Tenants, for the operator.',
  system: 'Health and discovery.',
}

const idempotencyHeader = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      description:
        'Identifies this call: a retry with the same key returns the first response and changes nothing, for 24 hours.',
      examples: ['order-4711-note'],
    },
  },
}

const headers = {
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer' } },
  'Idempotent-Replay': {
    description: 'With an Idempotency-Key: whether this is the response of an earlier call.',
    schema: { type: 'boolean' },
  },
}

const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The id of the last received event: the stream continues after it.',
  schema: { type: 'string' },
}

function isEventStream(responses: NonNullable<Operation['responses']>): boolean {
  return responses['200']?.content?.['text/event-stream'] !== undefined
}

/** Adds headers, examples and descriptions to every operation, and removes schemas that no operation uses. */
function complete(document: Document): Document {
  const { components, paths } = document
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  for (const operation of operations) {
    const { parameters = [], requestBody, responses = {} } = operation
    if (isEventStream(responses)) operation.parameters = [...parameters, lastEventId]
    const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key')
    addExamples(requestBody?.content, components.schemas)
    if (requestBody) requestBody.required = !mayBeNull(requestBody.content, components.schemas)
    for (const [status, response] of Object.entries(responses)) {
      addExamples(response.content, components.schemas)
      response.description = describe(status, response.content, components.schemas)
      if (/^[45]/.test(status)) response.headers = { 'Retry-After': headers['Retry-After'] }
      else if (isKeyed) response.headers = { 'Idempotent-Replay': headers['Idempotent-Replay'] }
    }
  }
  dropUnused(document)
  return withPlainNames(document)
}

/** The generator calls the request schema X `XInput`. It is renamed to `X`, unless a response schema X has another shape. */
function withPlainNames(document: Document): Document {
  const { schemas } = document.components
  const shapeOf = (name: string) => JSON.stringify(schemas[name])?.replaceAll(/Input"/g, '"')
  const plain = (name: string) => {
    const short = name.replace(/Input$/, '')
    return short in schemas && shapeOf(short) !== shapeOf(name) ? name : short
  }
  const text = JSON.stringify(document).replaceAll(
    /(#\/components\/schemas\/)(\w+)"/g,
    (_ref, path, name) => `${path}${plain(name)}"`,
  )
  const renamed = JSON.parse(text) as Document
  renamed.components.schemas = Object.fromEntries(
    Object.entries(renamed.components.schemas).map(([name, schema]) => [plain(name), schema]),
  )
  return renamed
}

function describe(status: string, content: MediaTypes | undefined, schemas: Record<string, Json>): string {
  if (status.startsWith('4')) return 'The request was refused; `details.hint` says what to do.'
  if (status.startsWith('5')) return 'The server cannot process the request now.'
  const [media] = Object.values(content ?? {})
  return String(schemaOf(media?.schema, schemas)?.description ?? 'Done.')
}

function schemaOf(schema: Json | undefined, schemas: Record<string, Json>): Json | undefined {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema?.$ref))?.[1]
  return name === undefined ? schema : schemas[name]
}

/** The first example of a schema is the example of the body that has it. */
function addExamples(content: MediaTypes = {}, schemas: Record<string, Json>): void {
  for (const media of Object.values(content)) {
    const { examples } = schemaOf(media.schema, schemas) ?? {}
    if (Array.isArray(examples)) media.example = examples[0]
  }
}

/** A request may leave out a body that may be null. */
function mayBeNull(content: MediaTypes = {}, schemas: Record<string, Json>): boolean {
  return Object.values(content).some(({ schema }) => {
    const { anyOf } = schemaOf(schema, schemas) ?? {}
    return Array.isArray(anyOf) && anyOf.some(({ type }) => type === 'null')
  })
}

function dropUnused({ paths, components }: Document): void {
  const used = new Set<string>()
  const collect = (value: unknown) => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue
      used.add(name)
      collect(components.schemas[name] ?? {})
    }
  }
  collect(paths)
  for (const name of Object.keys(components.schemas)) if (!used.has(name)) delete components.schemas[name]
}

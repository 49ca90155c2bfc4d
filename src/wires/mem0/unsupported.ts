import { WireError } from '../../http/wire-error.ts'

/** What the API of mem0 has and this host has not. Each is refused by its name, with the way out. */

/** The code of every refusal here. */
export const unsupportedCode = 'mem0_unsupported'

/** Refuses a field of a request that has no counterpart. */
export function unsupported(field: string, hint: string): WireError {
  return new WireError(422, unsupportedCode, `There is no counterpart to ${field} of mem0 here.`, { field, hint })
}

const extraction = 'What is extracted is decided by the extractor of the server: leave the field out.'
const expiry =
  'Memories of a source event do not expire. Delete them, or put an entry with expiresAt (docs/guides/put-or-add.md).'

/** Fields of requests, with the way out. A value that asks for nothing, such as false, is accepted. */
const fields: Readonly<Record<string, string>> = {
  custom_categories: extraction,
  custom_instructions: extraction,
  agent_custom_instructions: extraction,
  structured_data_schema: extraction,
  includes: extraction,
  excludes: extraction,
  enable_graph: 'There is no graph: leave the field out.',
  immutable: 'Every version of a memory is kept: leave the field out.',
  expiration_date: expiry,
  show_expired: expiry,
  rerank: 'Results are ranked in one pass: leave the field out.',
  fields: 'All fields are returned: leave the field out.',
  reference_date: 'Read the past with as_of of POST /v1/memories/retrieve.',
  start_date: 'Use filters.created_at with gte.',
  end_date: 'Use filters.created_at with lte.',
  delete_linked: 'A deletion gives way to the next content of its claim. Delete that one too.',
  org_id: 'The tenant comes from the key: leave the field out.',
  project_id: 'The tenant comes from the key: leave the field out.',
}

/** The names of fields that requests may have only with a value that asks for nothing. */
export const unsupportedFields = Object.keys(fields)

/** Refuses the first of those fields that asks for something. */
export function refuseUnsupported(request: Readonly<Record<string, unknown>>): void {
  for (const [field, hint] of Object.entries(fields)) {
    const value = request[field]
    const isNothing = value === undefined || value === null || value === false || value === 'false'
    if (!isNothing) throw unsupported(field, hint)
  }
}

/** Operations of the client that have no route, by method and path under `/mem0`. */
const operations: readonly (readonly [path: RegExp, name: string, hint: string])[] = [
  [/^\/v1\/batch\/?$/, 'batchUpdate and batchDelete', 'Call update or delete for each memory.'],
  [/^\/v1\/feedback\/?$/, 'feedback', 'Change the importance of a memory: PATCH /v1/memories/{id}.'],
  [/^\/v1\/exports(?:\/|$)/, 'memory exports', 'Export the tenant: colophon export (docs/guides/moving.md).'],
  [/^\/api\/v1\/webhooks(?:\/|$)/, 'webhooks', 'Follow changes: GET /v1/host/colophon/changes.'],
  [/^\/api\/v1\/orgs(?:\/|$)/, 'projects', 'The tenant comes from the key; its settings are at /v1/tenant/settings.'],
  [/^\/v2\/profiles(?:\/|$)/, 'profiles', 'Retrieve a text for a prompt: POST /v1/memories/retrieve.'],
  [
    /^\/v2\/entities\/[^/]+\/[^/]+\/profile\/?$/,
    'profiles',
    'Retrieve a text for a prompt: POST /v1/memories/retrieve.',
  ],
  [/^\/v[12]\/entities\/[^/]+\/[^/]+\/?$/, 'deleteUsers', 'Call deleteAll, or erase a person: colophon forget.'],
]

/** The refusal of a path that the client knows and this wire does not have; null for any other path. */
export function unsupportedOperation(path: string): { readonly message: string; readonly hint: string } | null {
  const found = operations.find(([pattern]) => pattern.test(path))
  if (found === undefined) return null
  const [, name, hint] = found
  return { message: `There is no counterpart to ${name} of mem0 here.`, hint }
}

// Validates what a host answers against the schemas that the OpenWOP project publishes, where a folder with them is at
// hand. The schemas are not part of this project.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

export type SchemaName =
  | 'agent-inventory-response'
  | 'agent-manifest'
  | 'audit-verify-result'
  | 'capabilities'
  | 'debug-bundle'
  | 'error-envelope'
  | 'memory-entry'
  | 'run-ancestry-response'
  | 'run-diff-response'
  | 'run-event'
  | 'run-snapshot'
  | 'workflow-definition'
  | 'workspace-file'

export type Published = {
  /** The folder in use, or null when there are no schemas. */
  readonly folder: string | null
  /** What is wrong with a value, or null when it cannot be judged. */
  faults(schema: SchemaName, value: unknown): readonly string[] | null
  payloadFaults(eventType: string, payload: unknown): readonly string[] | null
}

const schemaHome = 'https://openwop.dev/spec/v1/'
const payloadsId = `${schemaHome}run-event-payloads.schema.json`

export const withoutSchemas: Published = { folder: null, faults: () => null, payloadFaults: () => null }

/** Where a copy of the published schemas lies beside this project, if it does. */
export function neighbouringSchemas(): string | null {
  const folder = join(import.meta.dirname, '..', '..', 'shared', 'openwop', 'schemas')
  return existsSync(folder) ? folder : null
}

function readSchemas(folder: string): { readonly $id: string; readonly text: string }[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.schema.json'))
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      return { $id: (JSON.parse(text) as { $id?: string }).$id ?? `${schemaHome}${file}`, text }
    })
}

/** Every schema another one refers to; those that the folder lacks accept anything, so that the rest can be used. */
function referredFiles(texts: readonly string[]): Set<string> {
  const found = texts.flatMap((text) => [...text.matchAll(/"\$ref":\s*"([^"#]+\.schema\.json)/g)])
  return new Set(found.map((match) => new URL(match[1] ?? '', schemaHome).href))
}

function listFaults(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return []
  return (validate.errors ?? [])
    .slice(0, 4)
    .map((fault) => `${fault.instancePath || '/'} ${fault.message ?? 'is wrong'}`)
}

export function loadPublished(folder: string | null): Published {
  if (folder === null) return withoutSchemas
  const schemas = readSchemas(folder)
  if (schemas.length === 0) return withoutSchemas
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true })
  addFormats.default(ajv)
  for (const { $id, text } of schemas) ajv.addSchema({ ...(JSON.parse(text) as object), $id })
  const known = new Set(schemas.map(({ $id }) => $id))
  for (const id of referredFiles(schemas.map(({ text }) => text))) if (!known.has(id)) ajv.addSchema({ $id: id })

  const payloads = schemas.find(({ $id }) => $id === payloadsId)
  const typeIndex = payloads ? indexOf(JSON.parse(payloads.text)) : {}
  return {
    folder,
    faults(schema, value) {
      const validate = ajv.getSchema(`${schemaHome}${schema}.schema.json`)
      return validate === undefined ? null : listFaults(validate, value)
    },
    payloadFaults(eventType, payload) {
      const pointer = typeIndex[eventType]?.$ref
      const validate = pointer === undefined ? undefined : ajv.getSchema(`${payloadsId}${pointer}`)
      return validate === undefined ? null : listFaults(validate, payload)
    },
  }
}

/** The published map from event type to the definition of its payload. */
function indexOf(schema: unknown): Record<string, { $ref?: string } | undefined> {
  const found = schema as { $defs?: { _typeIndex?: { properties?: Record<string, { $ref?: string }> } } }
  return found.$defs?._typeIndex?.properties ?? {}
}

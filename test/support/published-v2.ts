import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const folder = fileURLToPath(new URL('../../../shared/openwop/schemas-v2/', import.meta.url))

const files = [
  'ids',
  'subject',
  'run-event',
  'run-event-payloads.subset',
  'suspend-request',
  'configurable',
  'run-snapshot.assembled',
  'webhook-delivery',
  'webhook-dead-letter-page.assembled',
  'effect-ledger-projection.assembled',
  'effect-seam-manifest.assembled',
  'error-envelope',
]

let isSaid = false

/** Checks documents with the published schemas of OpenWOP 2. */
export type PublishedSchemas = {
  /** What is wrong with a document, by the id of its schema; null when nothing is. */
  problemOf(id: string, document: unknown): string | null
  readonly payloadOf: Readonly<Record<string, string>>
}

/** The published schemas; null where they are not installed, which is said once in each process. */
export function publishedSchemas(): PublishedSchemas | null {
  if (!existsSync(folder)) {
    if (!isSaid) console.log('The published schemas of OpenWOP 2 are not here: documents are not checked with them.')
    isSaid = true
    return null
  }
  const read = (file: string) => JSON.parse(readFileSync(`${folder}${file}.schema.json`, 'utf8'))
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  for (const file of files) ajv.addSchema(read(file))
  const base = 'https://openwop.dev/spec/v2/'
  return {
    problemOf(id, document) {
      const validate = ajv.getSchema(`${base}${id}`)
      if (validate === undefined) throw new Error(`There is no schema ${id}`)
      return validate(document) ? null : ajv.errorsText(validate.errors)
    },
    payloadOf: read('run-event-payloads.subset')._typeIndex,
  }
}

/** A published file that is no schema; null where it is not installed. */
export function publishedFile<T>(name: string): T | null {
  return existsSync(`${folder}${name}`) ? (JSON.parse(readFileSync(`${folder}${name}`, 'utf8')) as T) : null
}

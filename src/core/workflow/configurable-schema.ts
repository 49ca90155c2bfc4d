import { checkCount } from '../check.ts'
import { invalid } from '../errors.ts'
import { isJsonObject, memberField } from './json-values.ts'
import { checkPattern } from './pattern.ts'
import { workflowLimits } from './workflow-limits.ts'

/** The keywords of JSON Schema 2020-12 that this host supports, and the check of a configurableSchema at registration. */

const jsonTypes = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string'] as const
export type JsonType = (typeof jsonTypes)[number]

/** A checked schema: it has only these keywords and annotations, each with a value of the right type. */
export type ConfigurableSchema =
  | boolean
  | {
      readonly type?: JsonType | readonly JsonType[]
      readonly enum?: readonly unknown[]
      readonly const?: unknown
      readonly properties?: Readonly<Record<string, ConfigurableSchema>>
      readonly required?: readonly string[]
      readonly additionalProperties?: ConfigurableSchema
      readonly items?: ConfigurableSchema
      readonly minimum?: number
      readonly maximum?: number
      readonly exclusiveMinimum?: number
      readonly exclusiveMaximum?: number
      readonly minLength?: number
      readonly maxLength?: number
      readonly pattern?: string
      readonly minItems?: number
      readonly maxItems?: number
      readonly uniqueItems?: boolean
      readonly anyOf?: readonly ConfigurableSchema[]
      readonly allOf?: readonly ConfigurableSchema[]
      readonly oneOf?: readonly ConfigurableSchema[]
      readonly not?: ConfigurableSchema
    }

type SchemaSize = { subschemas: number; patterns: number }
type KeywordCheck = (field: string, value: unknown, size: SchemaSize) => void

const isNumber: KeywordCheck = (field, value) => {
  if (typeof value !== 'number') throw invalid(field, 'must be a number')
}
const isSize: KeywordCheck = (field, value) => checkCount(field, value, 0)
const isSchema: KeywordCheck = (field, value, size) => checkSchema(field, value, size)
const isAnything: KeywordCheck = () => {}

const isSchemaList: KeywordCheck = (field, value, size) => {
  if (!Array.isArray(value) || value.length === 0) throw invalid(field, 'must be an array of at least one schema')
  for (const [index, schema] of value.entries()) checkSchema(`${field}[${index}]`, schema, size)
}

const isList: KeywordCheck = (field, value) => {
  if (!Array.isArray(value)) throw invalid(field, 'must be an array')
}

const keywords: Readonly<Record<string, KeywordCheck>> = {
  type: (field, value) => {
    const types: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (types.length === 0 || !types.every((type) => jsonTypes.some((known) => known === type))) {
      throw invalid(field, `must be one or several of ${jsonTypes.join(', ')}`)
    }
  },
  enum: isList,
  const: isAnything,
  properties: (field, value, size) => {
    if (!isJsonObject(value)) throw invalid(field, 'must be an object')
    for (const [name, schema] of Object.entries(value)) checkSchema(memberField(field, name), schema, size)
  },
  required: (field, value) => {
    if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) {
      throw invalid(field, 'must be an array of strings')
    }
  },
  additionalProperties: isSchema,
  items: isSchema,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minLength: isSize,
  maxLength: isSize,
  pattern: (field, value, size) => {
    const max = workflowLimits.configurablePatternsMax
    size.patterns += 1
    if (size.patterns > max) {
      throw invalid(field, `is one pattern too many: at most ${max}`, { limit: 'configurablePatternsMax', max })
    }
    checkPattern(field, value)
  },
  minItems: isSize,
  maxItems: isSize,
  uniqueItems: (field, value) => {
    if (typeof value !== 'boolean') throw invalid(field, 'must be true or false')
  },
  anyOf: isSchemaList,
  allOf: isSchemaList,
  oneOf: isSchemaList,
  not: isSchema,
}

const annotations = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])

/** Refuses a schema with a keyword that this host does not check: the author would rely on a rule that is ignored. */
export function checkConfigurableSchema(schema: unknown): void {
  if (!isJsonObject(schema)) throw invalid('configurableSchema', 'must be an object')
  checkSchema('configurableSchema', schema, { subschemas: 0, patterns: 0 })
}

function checkSchema(field: string, schema: unknown, size: SchemaSize): void {
  const max = workflowLimits.configurableSubschemasMax
  size.subschemas += 1
  if (size.subschemas > max) {
    throw invalid(field, `is one schema too many: at most ${max}`, { limit: 'configurableSubschemasMax', max })
  }
  if (typeof schema === 'boolean') return
  if (!isJsonObject(schema)) throw invalid(field, 'must be a schema: an object, true or false')
  for (const [keyword, value] of Object.entries(schema)) {
    if (annotations.has(keyword)) continue
    if (keyword === '$ref' || keyword === '$dynamicRef') throw invalid(field, 'must not reference other schemas')
    if (!Object.hasOwn(keywords, keyword)) {
      throw invalid(field, `has a keyword this host does not check; it checks ${Object.keys(keywords).join(', ')}`)
    }
    keywords[keyword]?.(`${field}.${keyword}`, value, size)
  }
}

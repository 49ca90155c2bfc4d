import { type Redaction, redactStructure, siblingName, siblingValues } from '../redaction/redact-structure.ts'
import { kindOfName } from '../redaction/rules/names.ts'
import { configNames, configTexts, hostWords, schemaMaps, schemaTexts, schemaWords } from './host-words.ts'

/** What happens to the strings of a workflow document. */
export type WorkflowRedaction = Redaction & {
  /** A name that something else may use: it stays as it is, or the document is refused. */
  readonly name: (field: string, name: string) => void
}

type Change = (value: unknown, field: string) => unknown
type Members = Readonly<Record<string, Change>>

/**
 * Takes secrets out of a workflow's texts. Member names, types and other words of the host stay, whatever happens to be
 * a secret, and names that nodes find each other by are refused rather than rewritten: a rewritten document would be
 * another workflow, or none.
 */
export function redactWorkflow<T>(document: T, { name: check, ...redaction }: WorkflowRedaction): T {
  /** What people wrote, judged with the name it stands under. A number in a place of the host's is one of its settings. */
  const text: Change = (value, field) => (typeof value === 'number' ? value : data(value, field))
  const data: Change = (value, field) => redactStructure(value, redaction, nameIn(field))
  const kept: Change = (value) => value
  /** A name, or whatever holds names. */
  const name: Change = (value, field) => {
    if (typeof value === 'string' && !hostWords.has(value)) check(field, value)
    if (value !== null && typeof value === 'object') {
      for (const [key, item] of Object.entries(value)) {
        if (!Array.isArray(value)) name(key, field)
        name(item, field)
      }
    }
    return value
  }
  const list =
    (change: Change): Change =>
    (value, field) =>
      Array.isArray(value) ? value.map((item, index) => change(item, `${field}[${index}]`)) : text(value, field)
  /** Members by names that their author chose. */
  const byName =
    (change: Change): Change =>
    (value, field) =>
      mapMembers(value, (key, item) => [name(key, field) as string, change(item, `${field}.${key}`)], text)
  /** Members by names of the host. Those that are not listed here are their author's, name and all. */
  const object =
    (members: Members, others?: (key: string, field: string) => string): Change =>
    (value, field) => {
      const beside = value !== null && typeof value === 'object' ? siblingName(value) : null
      const change = (key: string, item: unknown): [string, unknown] => {
        const listed = Object.hasOwn(members, key) ? members[key] : undefined
        const within = `${field}.${key}`
        if (listed === undefined && others === undefined)
          return Object.entries(redactStructure({ [key]: item }, redaction) as object)[0] as [string, unknown]
        if (listed === undefined) return [others?.(key, field) ?? key, data(item, within)]
        const isNamed = beside !== null && siblingValues.has(key) && (listed === text || listed === data)
        return [key, isNamed ? redactStructure(item, redaction, beside) : listed(item, within)]
      }
      return mapMembers(value, change, text)
    }
  const schema: Change = (value, field) =>
    Array.isArray(value) ? value.map((item) => schema(item, field)) : schemaMembers(value, field)
  const schemaMembers: Change = (value, field) =>
    mapMembers(
      value,
      (key, item) => {
        if (schemaTexts.has(key)) return [key, schemaWords.has(key) ? text(item, '') : text(item, field)]
        if (schemaMaps.has(key)) return [key, byName(schema)(item, `${field}.${key}`)]
        return [name(key, field) as string, schema(item, `${field}.${key}`)]
      },
      name,
    )
  const config = object(
    {
      ...toMembers(configTexts, text),
      ...toMembers(configNames, name),
      resumeSchema: schema,
      data: object({ ...toMembers('eventType correlation customKind', text), payload: data }),
      inputMapping: name,
      outputMapping: name,
      questions: list(object({ id: name, question: text, schema })),
    },
    (key, field) => name(key, field) as string,
  )
  const agent = object({
    ...toMembers('agentId memoryRef version sourceManifestId', name),
    name: text,
    modelClass: kept,
  })
  const port = object({ type: kept, optional: kept, value: data, ...toMembers('variableName nodeId outputKey', name) })
  const node = object({
    ...toMembers('id credentialsRef groupId artifactType cardType outputSensitivity', name),
    ...toMembers('name notes settings envelopeContract', text),
    ...toMembers('typeId position outputRole disabled', kept),
    config,
    inputs: byName(port),
    agent,
  })
  const edge = object({
    ...toMembers('id sourceNodeId targetNodeId sourceOutput targetInput', name),
    // What it is compared with is a value like those it is compared to; a pattern that is rewritten fits something else.
    condition: (value, field) => {
      const isPattern = (value as { type?: unknown } | null)?.type === 'regex'
      return object({ type: kept, left: name, right: isPattern ? name : data })(value, field)
    },
    label: text,
    triggerRule: kept,
  })
  const trigger = object({
    ...toMembers('id nodeId eventType', name),
    ...toMembers('name description', text),
    config: data,
    ...toMembers('type enabled', kept),
  })
  const variable = object({
    name,
    description: text,
    defaultValue: data,
    ...toMembers('type required sensitive', kept),
  })
  const group = object({
    ...toMembers('id nodeIds color', name),
    name: text,
    ...toMembers('position size collapsed', kept),
  })
  const channel = object({
    ...toMembers('reducer access', name),
    default: data,
    options: text,
    ...toMembers('maxSize ttlMs schemaVersion compatibleWith sensitive', kept),
    schema,
  })
  const prompts = object({ promptRefs: object(toMembers('system user few-shot schema-hint', name)) })
  const metadata = object({
    complianceClass: kept,
    complianceConfig: object({ maskingMode: kept }),
    ...toMembers('createdAt updatedAt customizedAt clonedAt', kept),
    ...toMembers('createdBy updatedBy tags category author codeVersion customizedBy forkedFrom clonedFrom', text),
    customProperties: data,
  })
  const workflow = object({
    ...toMembers('id version type tenantId scopeId slug', name),
    ...toMembers('name description acceptsInheritedArtifacts', text),
    ...toMembers('isActive status createdAt updatedAt', kept),
    nodes: list(node),
    edges: list(edge),
    triggers: list(trigger),
    variables: list(variable),
    groups: list(group),
    channels: byName(channel),
    metadata,
    settings: object(toMembers('timeout maxRetries logLevel maxLoopbackIterations', kept)),
    configurableSchema: schema,
    defaults: prompts,
  })
  return workflow(document, 'workflow') as T
}

/** The name that a value stands under, by its place: `inputs.password.value` is a password's. */
function nameIn(field: string): string | null {
  const [last = '', before] = field.split('.').toReversed()
  const joined = `${before}_${last}`
  if (before === undefined || kindOfName(last) !== undefined || kindOfName(joined) === undefined) return last || null
  return joined
}

function toMembers(names: string, change: Change): Members {
  return Object.fromEntries(names.split(/\s+/).map((key) => [key, change]))
}

/** What has no members is handed to the other. */
function mapMembers(
  value: unknown,
  change: (key: string, item: unknown) => [string, unknown],
  otherwise: Change,
): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return otherwise(value, '')
  return Object.fromEntries(Object.entries(value).map(([key, item]) => change(key, item)))
}

import { type RedactionContext, redactJson, siblingName, siblingValueMembers } from '../redaction/redact-json.ts'
import { kindOfName } from '../redaction/rules/secret-names.ts'

/** The config members that nodes of the host read: texts, and names that refer to something. */
const configTexts = `content tags tag expiresAt subject query limit title artifactData approversList requiredApprovals
  message code timeoutMs delayMs ms durationMs waitForCompletion`
const configNames = `memoryRef into id workflowId key kind actions contextType artifactId artifactType memoryAction
  memoryScopeIsolation onChildFailure secretId byokSecretId probeMemoryRef`

/** The JSON Schema keywords with texts, and those with schemas by name. */
const schemaTexts = new Set('title description $comment default examples enum const'.split(' '))
/** Those of them that describe a value and are never one. */
const schemaWords = new Set('title description $comment'.split(' '))
const schemaMaps = new Set('properties patternProperties $defs definitions dependentSchemas'.split(' '))

/** Keywords of workflow documents. They are not redacted, also when a secret equals one of them. */
const hostWords = new Set(
  `string number integer boolean object array null type required items additionalProperties minimum maximum
  exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format minItems maxItems uniqueItems
  minProperties maxProperties propertyNames allOf anyOf oneOf not if then else contains prefixItems $schema $id $ref
  approval clarification external-event accept reject request-changes edit-accept defer isolated shared fail-parent
  continue ignore custom replace append merge counter votes feedback message public private readers writers`.split(
    /\s+/,
  ),
)

/** How the strings of a workflow document are redacted. */
export type WorkflowRedaction = RedactionContext & {
  /** Checks a name that other parts of the document refer to: it is not redacted; a secret in it refuses the document. */
  readonly name: (field: string, name: string) => void
}

type Change = (value: unknown, field: string) => unknown
type Members = Readonly<Record<string, Change>>

/**
 * Redacts the texts of a workflow. Member names, types and other words of the host stay, also when one equals a secret. Names that nodes
 * refer to are refused, not rewritten: a rewritten name would change or break the workflow.
 */
export function redactWorkflow<T>(document: T, { name: check, ...redaction }: WorkflowRedaction): T {
  /** A text of the author, redacted with the name of its member. A number under a member of the host is a setting, and stays. */
  const text: Change = (value, field) => (typeof value === 'number' ? value : data(value, field))
  const data: Change = (value, field) => redactJson(value, redaction, nameIn(field))
  const kept: Change = (value) => value
  /** A name, or a structure of names. */
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
  /** An object whose member names the author chose. */
  const byName =
    (change: Change): Change =>
    (value, field) =>
      mapMembers(value, (key, item) => [name(key, field) as string, change(item, `${field}.${key}`)], text)
  /** An object with member names of the host. Members that are not listed come from the author: their names are redacted too. */
  const object =
    (members: Members, others?: (key: string, field: string) => string): Change =>
    (value, field) => {
      const beside = value !== null && typeof value === 'object' ? siblingName(value) : null
      const change = (key: string, item: unknown): [string, unknown] => {
        const listed = Object.hasOwn(members, key) ? members[key] : undefined
        const within = `${field}.${key}`
        if (listed === undefined && others === undefined)
          return Object.entries(redactJson({ [key]: item }, redaction) as object)[0] as [string, unknown]
        if (listed === undefined) return [others?.(key, field) ?? key, data(item, within)]
        const isNamed = beside !== null && siblingValueMembers.has(key) && (listed === text || listed === data)
        return [key, isNamed ? redactJson(item, redaction, beside) : listed(item, within)]
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
    // The right side is a value; but a pattern is not rewritten, because it would match other texts.
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

/** The name that applies to a value, by its path: in `inputs.password.value` it is `password_value`. */
function nameIn(field: string): string | null {
  const [last = '', before] = field.split('.').toReversed()
  const joined = `${before}_${last}`
  if (before === undefined || kindOfName(last) !== undefined || kindOfName(joined) === undefined) return last || null
  return joined
}

function toMembers(names: string, change: Change): Members {
  return Object.fromEntries(names.split(/\s+/).map((key) => [key, change]))
}

/** Maps the members of an object; another value is passed to `otherwise`. */
function mapMembers(
  value: unknown,
  change: (key: string, item: unknown) => [string, unknown],
  otherwise: Change,
): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return otherwise(value, '')
  return Object.fromEntries(Object.entries(value).map(([key, item]) => change(key, item)))
}

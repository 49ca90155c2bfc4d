/** The members of a node's config that the host's own nodes read. */
export const configTexts = `content tags tag expiresAt subject query limit title artifactData approversList requiredApprovals
  message code timeoutMs delayMs ms durationMs waitForCompletion`
export const configNames = `memoryRef into id workflowId key kind actions contextType artifactId artifactType memoryAction
  memoryScopeIsolation onChildFailure secretId byokSecretId probeMemoryRef`

export const schemaTexts = new Set('title description $comment default examples enum const'.split(' '))
/** Those of them that are about a value and never one. */
export const schemaWords = new Set('title description $comment'.split(' '))
export const schemaMaps = new Set('properties patternProperties $defs definitions dependentSchemas'.split(' '))

/** Words that documents are written in: a secret that happens to be one of them is no secret there. */
export const hostWords = new Set(
  `string number integer boolean object array null type required items additionalProperties minimum maximum
  exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format minItems maxItems uniqueItems
  minProperties maxProperties propertyNames allOf anyOf oneOf not if then else contains prefixItems $schema $id $ref
  approval clarification external-event accept reject request-changes edit-accept defer isolated shared fail-parent
  continue ignore custom replace append merge counter votes feedback message public private readers writers`.split(
    /\s+/,
  ),
)

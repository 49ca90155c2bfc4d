import { checkCharacters, checkIdentifier, checkJson, checkKnownKeys } from '../check.ts'
import { ColophonError, invalid } from '../errors.ts'

/** The limits of a manifest. The first four are the protocol's. */
export const agentLimits = {
  agentIdCharactersMax: 256,
  personaCharactersMax: 200,
  labelCharactersMax: 100,
  descriptionCharactersMax: 500,
  systemPromptCharactersMax: 65_536,
  referenceCharactersMax: 1_024,
  toolCharactersMax: 256,
  toolsPerAgentMax: 256,
  capabilityCharactersMax: 128,
  capabilitiesPerAgentMax: 64,
  manifestBytesMax: 262_144,
  agentsPerTenantMax: 1_000,
} as const

/** The model classes that the protocol defines. */
export const modelClasses = ['reasoning', 'writing', 'coding', 'research', 'classification', 'general'] as const
/** The roles that the protocol defines. */
export const agentRoles = ['skill', 'assistant'] as const
const promptKinds = ['system', 'user', 'few-shot', 'schema-hint'] as const

/** The kinds of memory that an agent requests. */
export type MemoryShape = {
  readonly scratchpad?: boolean
  readonly conversation?: boolean
  readonly longTerm?: boolean
}

/** The document that declares an agent. */
export type AgentManifest = {
  readonly agentId: string
  readonly persona: string
  readonly modelClass: (typeof modelClasses)[number]
  /** Never inferred: without a role, no rule of a role applies. */
  readonly role?: (typeof agentRoles)[number]
  readonly label?: string
  readonly description?: string
  readonly systemPrompt?: string
  readonly systemPromptRef?: string
  readonly evalSuiteRef?: string
  readonly toolAllowlist?: readonly string[]
  readonly requiresCapabilities?: readonly string[]
  readonly memoryShape?: MemoryShape
  readonly confidence?: { readonly defaultThreshold?: number }
  readonly handoff?: { readonly taskSchemaRef?: string; readonly returnSchemaRef?: string }
  readonly promptLibraryRef?: string
  readonly promptOverrides?: Readonly<Record<string, unknown>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const agentIdPattern = /^(core|vendor|community|private|local)\.[a-z][a-z0-9_-]*(\.[a-z][a-zA-Z0-9_-]*)+$/

/** Whether a text is a valid agent id. The protocol reserves `roster` and `org-chart`; they have no dot, so they never match. */
export function isAgentId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= agentLimits.agentIdCharactersMax && agentIdPattern.test(value)
}

/** Parses a manifest from a request. The result is a copy: later changes of the document have no effect. */
export function parseManifest(document: unknown): AgentManifest {
  checkJson('manifest', document, 'manifestBytesMax', agentLimits.manifestBytesMax)
  const manifest = JSON.parse(JSON.stringify(document)) as Record<string, unknown>
  checkKnownKeys('manifest', manifest, Object.keys(checks))
  for (const name of ['agentId', 'persona', 'modelClass']) {
    if (manifest[name] === undefined) throw invalid(name, 'is missing')
  }
  for (const [name, value] of Object.entries(manifest)) checks[name as keyof AgentManifest](name, value)
  if ((manifest.systemPrompt === undefined) === (manifest.systemPromptRef === undefined)) {
    throw invalid('manifest', 'must have either systemPrompt or systemPromptRef')
  }
  const parsed = manifest as AgentManifest
  if (parsed.role === 'skill') checkSkill(parsed)
  return parsed
}

/** A skill is a function from task to result. With its own memory, the same task could give different results. */
function checkSkill({ handoff, memoryShape }: AgentManifest): void {
  if (handoff === undefined) throw packError('A skill must declare its handoff.', 'handoff')
  for (const name of ['conversation', 'longTerm'] as const) {
    if (memoryShape?.[name] === true) throw packError(`A skill must not request ${name} memory.`, `memoryShape.${name}`)
  }
}

/** The error for a manifest that breaks a rule of the protocol. */
export function packError(message: string, field: string): ColophonError {
  return new ColophonError('pack_validation_failed', message, { details: { field } })
}

type Check = (field: string, value: unknown) => void

const checks: Readonly<Record<keyof AgentManifest, Check>> = {
  agentId(field, value) {
    checkCharacters(field, value, 'agentIdCharactersMax', agentLimits.agentIdCharactersMax)
    if (!isAgentId(value)) throw invalid(field, 'must be a dotted name such as local.team.concierge')
  },
  persona: characters('personaCharactersMax'),
  modelClass: oneOf(modelClasses),
  role: oneOf(agentRoles),
  label: characters('labelCharactersMax'),
  description(field, value) {
    if (value !== '') characters('descriptionCharactersMax')(field, value)
  },
  systemPrompt: characters('systemPromptCharactersMax'),
  systemPromptRef: characters('referenceCharactersMax'),
  evalSuiteRef: characters('referenceCharactersMax'),
  toolAllowlist: listOf(characters('toolCharactersMax'), 'toolsPerAgentMax'),
  requiresCapabilities(field, value) {
    listOf(checkCapability, 'capabilitiesPerAgentMax')(field, value)
    if (new Set(value as string[]).size < (value as string[]).length)
      throw invalid(field, 'must not contain the same capability twice')
  },
  memoryShape: members({ scratchpad: checkFlag, conversation: checkFlag, longTerm: checkFlag }),
  confidence: members({
    defaultThreshold(field, value) {
      if (typeof value !== 'number' || value < 0 || value > 1) throw invalid(field, 'must be a number from 0 to 1')
    },
  }),
  handoff: members({
    taskSchemaRef: characters('referenceCharactersMax'),
    returnSchemaRef: characters('referenceCharactersMax'),
  }),
  promptLibraryRef(field, value) {
    characters('referenceCharactersMax')(field, value)
    if (!/^[a-z0-9][a-z0-9._-]{0,127}$/.test(value as string)) throw invalid(field, 'must be the id of a library')
  },
  promptOverrides: members(Object.fromEntries(promptKinds.map((kind) => [kind, checkPromptRef]))),
  peerDependencies: byCapability(characters('capabilityCharactersMax')),
  peerDependenciesMeta: byCapability(members({ optional: checkFlag })),
}

function characters(limit: keyof typeof agentLimits): Check {
  return (field, value) => checkCharacters(field, value, limit, agentLimits[limit])
}

function oneOf(allowed: readonly string[]): Check {
  return (field, value) => {
    if (!allowed.includes(value as string)) throw invalid(field, `must be one of ${allowed.join(', ')}`)
  }
}

function listOf(check: Check, limit: keyof typeof agentLimits): Check {
  return (field, value) => {
    const max = agentLimits[limit]
    if (!Array.isArray(value)) throw invalid(field, 'must be a list')
    if (value.length > max) throw invalid(field, `must have at most ${max} members`, { limit, max })
    for (const item of value) check(`every member of ${field}`, item)
  }
}

function members(known: Readonly<Record<string, Check>>): Check {
  return (field, value) => {
    checkKnownKeys(field, value, Object.keys(known))
    for (const [name, item] of Object.entries(value as object)) known[name]?.(`${field}.${name}`, item)
  }
}

/** An object whose member names are capabilities. An error does not repeat the name, because it may contain any text. */
function byCapability(check: Check): Check {
  return (field, value) => {
    checkObject(field, value)
    listOf(checkCapability, 'capabilitiesPerAgentMax')(field, Object.keys(value))
    for (const item of Object.values(value)) check(`every member of ${field}`, item)
  }
}

function checkCapability(field: string, value: unknown): void {
  checkIdentifier(field, value, 'capabilityCharactersMax', agentLimits.capabilityCharactersMax)
  if (!/^[A-Za-z0-9@][A-Za-z0-9@._:/-]*$/.test(value))
    throw invalid(field, 'must be the name of a capability, such as memory.search')
}

function checkFlag(field: string, value: unknown): void {
  if (typeof value !== 'boolean') throw invalid(field, 'must be true or false')
}

/** A reference to a prompt of a library, as a URI or as an object. It is not resolved here. */
function checkPromptRef(field: string, value: unknown): void {
  const part = characters('referenceCharactersMax')
  if (typeof value === 'string') {
    part(field, value)
    if (!value.startsWith('prompt:')) throw invalid(field, 'must begin with prompt: when it is a string')
    return
  }
  members({ libraryId: part, templateId: part, version: part, variableOverrides: checkObject })(field, value)
  if (!Object.hasOwn(value as object, 'templateId')) throw invalid(`${field}.templateId`, 'is missing')
}

function checkObject(field: string, value: unknown): asserts value is Readonly<Record<string, unknown>> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw invalid(field, 'must be an object')
}

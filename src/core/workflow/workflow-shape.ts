import { invalid } from '../errors.ts'
import { maskingModes } from '../run/mask.ts'
import { checkConfigurableSchema } from './configurable-schema.ts'
import {
  anyText,
  anything,
  closed,
  count,
  flag,
  identifier,
  instant,
  key,
  list,
  mapOf,
  matching,
  maybeEmpty,
  number,
  oneOf,
  open,
  openObject,
  type ShapeCheck,
  text,
} from './shape-checks.ts'

/** The shape of a workflow document, as OpenWOP v1 publishes it. Rules between members are in graph.ts. */

const description = maybeEmpty(text('notesCharactersMax'))

const refusedHere =
  (problem: string): ShapeCheck =>
  (field) => {
    throw invalid(field, problem)
  }

const point = open({ x: number, y: number })

const agent = closed(
  { agentId },
  {
    name: maybeEmpty(text('labelCharactersMax')),
    modelClass: oneOf(
      'reasoning',
      'tool-using',
      'chat',
      'code',
      'vision',
      'multimodal',
      'embedding',
      'classification',
      'retrieval',
    ),
    memoryRef: identifier('agentMemoryRefCharactersMax'),
    version: maybeEmpty(text('agentVersionCharactersMax')),
    // OpenWOP: a host without agents.deployment must refuse a channel.
    channel: refusedHere('is not supported: this host has no deployment channels; give an exact version'),
    sourceManifestId: maybeEmpty(text('agentIdCharactersMax')),
  },
)

function agentId(field: string, value: unknown): void {
  identifier('agentIdCharactersMax')(field, value)
  if ((value as string).length < 3) throw invalid(field, 'must be at least 3 characters')
}

const ports: Readonly<Record<string, ShapeCheck>> = {
  static: closed({ type: anything, value: anything }),
  variable: closed({ type: anything, variableName: key('variableNameCharactersMax') }, { optional: flag }),
  connection: closed(
    { type: anything, nodeId: identifier('nodeIdCharactersMax'), outputKey: identifier('portNameCharactersMax') },
    { optional: flag },
  ),
  expression: refusedHere('must not be an expression: this host evaluates no code; use a variable or a connection'),
}

const port: ShapeCheck = (field, value) => {
  open({ type: oneOf(...Object.keys(ports)) })(field, value)
  ports[(value as { type: string }).type]?.(field, value)
}

const node = closed(
  {
    id: key('nodeIdCharactersMax'),
    typeId: matching(
      /^[a-z][a-zA-Z0-9._-]*$/,
      'must be letters, digits, dot, dash or underscore, starting with a lower-case letter',
      'typeIdCharactersMax',
    ),
    name: text('nameCharactersMax'),
    position: point,
    config: openObject,
    inputs: mapOf(port, 'portsPerNodeMax'),
  },
  {
    credentialsRef: anyText,
    settings: openObject,
    outputRole: oneOf('primary', 'secondary'),
    disabled: flag,
    notes: description,
    groupId: anyText,
    agent,
    envelopeContract: openObject,
    artifactType: anyText,
    cardType: anyText,
    outputSensitivity: mapOf(flag, 'portsPerNodeMax'),
  },
)

const edge = closed(
  {
    id: key('edgeIdCharactersMax'),
    sourceNodeId: identifier('nodeIdCharactersMax'),
    targetNodeId: identifier('nodeIdCharactersMax'),
  },
  {
    sourceOutput: anyText,
    targetInput: anyText,
    condition: openObject,
    label: anyText,
    triggerRule: oneOf('all_success', 'any_success', 'all_complete', 'none_failed', 'any_failed'),
  },
)

const trigger = closed(
  {
    id: identifier('nodeIdCharactersMax'),
    type: oneOf(
      'manual',
      'schedule',
      'webhook',
      'event',
      'artifact',
      'canvas',
      'envelope',
      'command',
      'chat-message',
      'channel-write',
    ),
  },
  { name: anyText, description, config: openObject, enabled: flag, nodeId: anyText, eventType: anyText },
)

const variable = closed(
  { name: key('variableNameCharactersMax'), type: oneOf('string', 'number', 'boolean', 'object', 'array') },
  { description, required: flag, defaultValue: anything, sensitive: flag },
)

const group = closed(
  {
    id: identifier('nodeIdCharactersMax'),
    name: text('labelCharactersMax'),
    nodeIds: list(anyText, 'nodesMax'),
    position: point,
    size: open({ width: number, height: number }),
  },
  { color: anyText, collapsed: flag },
)

const accessList = list(
  matching(/^([a-z][a-zA-Z0-9._-]*\*?|\*)$/, 'must be a node id, a type id or a prefix and *', 'typeIdCharactersMax'),
  'channelAccessEntriesMax',
)

const access: ShapeCheck = (field, value) => {
  if (value === 'public' || value === 'private') return
  closed({}, { readers: accessList, writers: accessList })(field, value)
}

const channel = closed(
  {
    reducer: matching(
      /^(replace|append|merge|counter|votes|feedback|message|vendor\.[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*)$/,
      'must be replace, append, merge, counter, votes, feedback, message or vendor.<org>.<name>',
      'nameCharactersMax',
    ),
  },
  {
    schema: openObject,
    default: anything,
    maxSize: count(1),
    ttlMs: count(1, 31_536_000_000),
    options: openObject,
    access,
    schemaVersion: count(1),
    compatibleWith: list(count(1), 'channelVersionsMax'),
    sensitive: flag,
  },
)

const promptRef: ShapeCheck = (field, value) => {
  if (typeof value !== 'string') openObject(field, value)
}

const defaults = closed(
  {},
  { promptRefs: closed({}, { system: promptRef, user: promptRef, 'few-shot': promptRef, 'schema-hint': promptRef }) },
)

const metadata = open(
  {},
  {
    createdBy: anyText,
    createdAt: instant,
    updatedBy: anyText,
    updatedAt: instant,
    tags: list(text('labelCharactersMax'), 'metadataTagsMax'),
    category: anyText,
    author: anyText,
    codeVersion: anyText,
    customizedAt: instant,
    customizedBy: anyText,
    forkedFrom: anyText,
    clonedFrom: anyText,
    clonedAt: instant,
    customProperties: openObject,
    complianceClass: oneOf('public', 'pii', 'phi', 'pci', 'regulated'),
    complianceConfig: open({}, { maskingMode: oneOf(...maskingModes) }),
  },
)

const settings = open(
  {},
  {
    timeout: count(0),
    maxRetries: count(0),
    logLevel: oneOf('debug', 'info', 'warn', 'error'),
    maxLoopbackIterations: count(1),
  },
)

export const workflowShape: ShapeCheck = closed(
  {
    id: matching(
      /^[a-z][a-z0-9_-]*$/,
      'must be lower-case letters, digits, dash or underscore, starting with a letter',
      'workflowIdCharactersMax',
    ),
    name: text('nameCharactersMax'),
    version: identifier('versionCharactersMax'),
    nodes: list(node, 'nodesMax', 1),
    edges: list(edge, 'edgesMax'),
    triggers: list(trigger, 'triggersMax'),
    variables: list(variable, 'variablesMax'),
    metadata,
    settings,
  },
  {
    description,
    type: anyText,
    isActive: flag,
    status: oneOf('active', 'inactive', 'draft', 'archived'),
    tenantId: anyText,
    scopeId: anyText,
    slug: matching(
      /^[a-z0-9][a-z0-9_-]*$/,
      'must be lower-case letters, digits, dash or underscore',
      'nameCharactersMax',
    ),
    groups: list(group, 'groupsMax'),
    channels: mapOf(channel, 'channelsMax'),
    configurableSchema: (_field, value) => checkConfigurableSchema(value),
    defaults,
    acceptsInheritedArtifacts: list(openObject, 'inheritedArtifactsMax'),
    createdAt: instant,
    updatedAt: instant,
  },
)

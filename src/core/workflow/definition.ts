import { invalid } from '../errors.ts'
import type { MaskingMode } from '../run/mask.ts'
import type { EdgeCondition } from './condition.ts'
import { checkGraph } from './graph.ts'
import { copyJson, type JsonObject } from './json-values.ts'
import { root } from './shape-checks.ts'
import { isOfVariableType, type VariableType } from './variables.ts'
import { workflowShape } from './workflow-shape.ts'

/** The agent that a node acts for. */
export type AgentRef = {
  readonly agentId: string
  readonly name?: string
  readonly modelClass?: string
  readonly memoryRef?: string
  readonly version?: string
  readonly sourceManifestId?: string
}

/** Where the value of an input port comes from. */
export type PortValue =
  | { readonly type: 'static'; readonly value: unknown }
  | { readonly type: 'variable'; readonly variableName: string; readonly optional?: boolean }
  | { readonly type: 'connection'; readonly nodeId: string; readonly outputKey: string; readonly optional?: boolean }

/** One node of a workflow. Its type says how it is executed, its config with what. */
export type WorkflowNode = {
  readonly id: string
  readonly typeId: string
  readonly name: string
  readonly position: { readonly x: number; readonly y: number }
  readonly config: JsonObject
  readonly inputs: Readonly<Record<string, PortValue>>
  readonly disabled?: boolean
  readonly agent?: AgentRef
  readonly credentialsRef?: string
  readonly settings?: JsonObject
  readonly outputRole?: 'primary' | 'secondary'
  readonly notes?: string
  readonly groupId?: string
  readonly envelopeContract?: JsonObject
  readonly artifactType?: string
  readonly cardType?: string
  readonly outputSensitivity?: Readonly<Record<string, boolean>>
}

/** When a node starts, by the outcomes of its sources; see trigger-rule.ts. */
export type TriggerRule = 'all_success' | 'any_success' | 'all_complete' | 'none_failed' | 'any_failed'

/** An edge from one node to another, with an optional condition and trigger rule. */
export type WorkflowEdge = {
  readonly id: string
  readonly sourceNodeId: string
  readonly targetNodeId: string
  readonly sourceOutput?: string
  readonly targetInput?: string
  readonly condition?: EdgeCondition
  readonly label?: string
  readonly triggerRule?: TriggerRule
}

export type WorkflowTrigger = {
  readonly id: string
  readonly type: string
  readonly name?: string
  readonly description?: string
  readonly config?: JsonObject
  readonly enabled?: boolean
  readonly nodeId?: string
  readonly eventType?: string
}

export type WorkflowVariable = {
  readonly name: string
  readonly type: VariableType
  readonly description?: string
  readonly required?: boolean
  readonly defaultValue?: unknown
  readonly sensitive?: boolean
}

export type ComplianceClass = 'public' | 'pii' | 'phi' | 'pci' | 'regulated'

export type WorkflowMetadata = JsonObject & {
  readonly tags?: readonly string[]
  readonly complianceClass?: ComplianceClass
  readonly complianceConfig?: JsonObject & { readonly maskingMode?: MaskingMode }
}

export type WorkflowSettings = JsonObject & {
  /** Milliseconds; 0 means no limit of the workflow's own. */
  readonly timeout?: number
  readonly maxRetries?: number
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error'
  readonly maxLoopbackIterations?: number
}

/** One version of a workflow, after its checks. */
export type WorkflowDefinition = {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly nodes: readonly WorkflowNode[]
  readonly edges: readonly WorkflowEdge[]
  readonly triggers: readonly WorkflowTrigger[]
  readonly variables: readonly WorkflowVariable[]
  readonly metadata: WorkflowMetadata
  readonly settings: WorkflowSettings
  readonly description?: string
  readonly type?: string
  readonly isActive?: boolean
  readonly status?: 'active' | 'inactive' | 'draft' | 'archived'
  /** Stored, but not used: the tenant of a workflow is that of the key that registered it. */
  readonly tenantId?: string
  readonly scopeId?: string
  readonly slug?: string
  readonly groups?: readonly JsonObject[]
  readonly channels?: Readonly<Record<string, JsonObject>>
  readonly configurableSchema?: JsonObject
  readonly defaults?: JsonObject
  readonly acceptsInheritedArtifacts?: readonly JsonObject[]
  readonly createdAt?: string
  readonly updatedAt?: string
}

/** What the registration of a workflow needs to know about a node type. */
export type NodeTypeRules = {
  readonly typeId: string
  /** Throws a validation_error for an invalid config. Types of core.* accept unknown keys, types of colophon.* refuse them. */
  readonly checkConfig?: (config: JsonObject, field: string) => void
}

/** Parses a workflow document. An error names the field, and repeats nothing of the document but a node id. */
export function parseWorkflow(
  document: unknown,
  typeOf: (typeId: string) => NodeTypeRules | undefined,
): WorkflowDefinition {
  const copy = copyJson(root, document, 'definitionBytesMax')
  workflowShape(root, copy)
  const definition = copy as WorkflowDefinition
  checkUnique('nodes', 'id', definition.nodes)
  checkUnique('edges', 'id', definition.edges)
  checkUnique('variables', 'name', definition.variables)
  for (const [index, variable] of definition.variables.entries()) checkDefault(`variables[${index}]`, variable)
  // Types are checked before the graph: a workflow for another host often has cycles, and its types are the better error.
  for (const [index, node] of definition.nodes.entries()) checkType(`nodes[${index}]`, node, typeOf)
  checkGraph(definition)
  return definition
}

/** Whether the workflow declares that a node removes what is untrusted from the values of a run. */
export function sanitises({ settings }: Pick<WorkflowNode, 'settings'>): boolean {
  return settings?.sanitises === true
}

function checkUnique<Key extends string>(field: string, key: Key, items: readonly Readonly<Record<Key, string>>[]) {
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    if (seen.has(item[key])) throw invalid(`${field}[${index}].${key}`, `must not repeat an earlier ${key}`)
    seen.add(item[key])
  }
}

/** A default of null means that there is no value. */
function checkDefault(field: string, { type, defaultValue }: WorkflowVariable): void {
  if (defaultValue === undefined || defaultValue === null || isOfVariableType(type, defaultValue)) return
  throw invalid(`${field}.defaultValue`, `must be of the declared type, ${type}`)
}

function checkType(field: string, node: WorkflowNode, typeOf: (typeId: string) => NodeTypeRules | undefined): void {
  const { sanitises: declared } = node.settings ?? {}
  if (declared !== undefined && typeof declared !== 'boolean')
    throw invalid(`${field}.settings.sanitises`, 'must be true or false', { nodeId: node.id })
  const rules = typeOf(node.typeId)
  if (rules !== undefined) {
    rules.checkConfig?.(node.config, `${field}.config`)
    return
  }
  throw invalid(`${field}.typeId`, 'must be a node type of this host', { nodeId: node.id })
}

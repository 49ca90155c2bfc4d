import type { NodeRegistry, NodeType } from '../app/runs/node-type.ts'
import { agentRun } from './agent-run.ts'
import { approvalGate } from './approval-gate.ts'
import { clarificationGate } from './clarification-gate.ts'
import { conversationGate } from './conversation-gate.ts'
import { delay } from './delay.ts'
import { dispatch } from './dispatch.ts'
import { fail } from './fail.ts'
import { identity } from './identity.ts'
import { interrupt } from './interrupt-gate.ts'
import { memoryDelete } from './memory-delete.ts'
import { memoryDistill } from './memory-distill.ts'
import { memoryGet } from './memory-get.ts'
import { memoryList } from './memory-list.ts'
import { memoryPut } from './memory-put.ts'
import { memorySearch } from './memory-search.ts'
import { messageAdd } from './message-add.ts'
import { modelExtract } from './model-extract.ts'
import { modelGenerate } from './model-generate.ts'
import { noop } from './noop.ts'
import { subWorkflow } from './sub-workflow.ts'
import { supervisor } from './supervisor.ts'
import { workspaceGet } from './workspace-get.ts'
import { workspaceList } from './workspace-list.ts'
import { workspacePut } from './workspace-put.ts'

const builtIn: readonly NodeType[] = [
  noop,
  identity,
  delay,
  fail,
  approvalGate,
  clarificationGate,
  interrupt,
  conversationGate,
  messageAdd,
  subWorkflow,
  supervisor,
  dispatch,
  memoryPut,
  memoryList,
  memoryGet,
  memorySearch,
  memoryDelete,
  memoryDistill,
  workspaceGet,
  workspaceList,
  workspacePut,
  agentRun,
  modelGenerate,
  modelExtract,
]

/** The built-in node types and the given ones. A given type replaces a built-in type of the same id. */
export function createNodeRegistry(...further: readonly NodeType[]): NodeRegistry {
  return new Map([...builtIn, ...further].map((type) => [type.typeId, type]))
}

import { defaultWorkspace, refOfWorkspace } from '../core/workspace/workspace-file.ts'
import { defineNodeType } from './define-node-type.ts'
import { intoMember, intoVariable, textOf } from './memory-config.ts'

export const workspaceGet = defineNodeType({
  typeId: 'colophon.workspace.get',
  description: 'Reads a workspace file as it was when the run began; null when there was none.',
  config: { path: { description: 'the path of the file', type: 'text', isRequired: true }, into: intoMember },
  replay: 'reads',
  async execute(request) {
    const tag = textOf(request, 'path')
    const [file] = await request.memory.list(refOfWorkspace(defaultWorkspace), { tag, limit: 1 })
    return {
      kind: 'completed',
      outputs: { found: file !== undefined },
      ...intoVariable(request, file?.content ?? null),
    }
  },
})

import { defineNodeType } from './define-node-type.ts'
import { intoMember, intoVariable, selectionMembers, selectionOf, textOf } from './memory-config.ts'

export const workspaceGet = defineNodeType({
  typeId: 'colophon.workspace.get',
  description:
    'Reads a workspace file as it was when the run began; null when there was none. A file of a lower class fails the node.',
  config: {
    path: { description: 'the path of the file', type: 'text', isRequired: true },
    trustMin: selectionMembers.trustMin,
    into: intoMember,
  },
  replay: 'reads',
  async execute(request) {
    const file = await request.memory.getFile(textOf(request, 'path'), selectionOf(request))
    return {
      kind: 'completed',
      outputs: { found: file !== null },
      ...intoVariable(request, file?.content ?? null),
    }
  },
})

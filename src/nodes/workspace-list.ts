import { limits } from '../core/limits.ts'
import { defaultWorkspace, pathOf, refOfWorkspace } from '../core/workspace/workspace-file.ts'
import { defineNodeType } from './define-node-type.ts'
import { intoMember, intoVariable } from './memory-config.ts'

export const workspaceList = defineNodeType({
  typeId: 'colophon.workspace.list',
  description: 'Lists the paths of the workspace files as they were when the run began.',
  config: { prefix: { description: 'only paths that begin with this', type: 'text' }, into: intoMember },
  replay: 'reads',
  async execute(request) {
    const prefix = String(request.config.prefix ?? '')
    const files = await request.memory.list(refOfWorkspace(defaultWorkspace), { limit: limits.workspaceFilesMax })
    const paths = files
      .map(({ tags }) => pathOf(tags))
      .filter((path) => path.startsWith(prefix))
      .sort()
    return { kind: 'completed', outputs: { count: paths.length }, ...intoVariable(request, paths) }
  },
})

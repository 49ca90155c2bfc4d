import type { HostNodeRequest } from '../app/runs/node-type.ts'
import { defineNodeType } from './define-node-type.ts'
import { intoMember, intoVariable, memoryRefMember, memoryRefOf } from './memory-config.ts'

/** The option of a run that replaces the budget of the node. */
const budgetOption = 'distillation.tokenBudget'

export const memoryDistill = defineNodeType({
  typeId: 'colophon.memory.distill',
  description:
    'Makes an archive of all entries of a ref within a token budget; gives its id, or null when the ref is empty.',
  config: {
    memoryRef: memoryRefMember,
    tokenBudget: { description: `the largest number of tokens; the option ${budgetOption} of the run replaces it` },
    into: intoMember,
  },
  replay: 'effects',
  async execute(request: HostNodeRequest) {
    const { memory, config, configurable } = request
    const tokenBudget = configurable[budgetOption] ?? config.tokenBudget
    const archiveId = await memory.distill(memoryRefOf(request), tokenBudget as number | undefined)
    return { kind: 'completed', outputs: { archiveId }, ...intoVariable(request, archiveId) }
  },
})

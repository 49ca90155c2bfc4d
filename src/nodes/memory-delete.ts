import { defineNodeType } from './define-node-type.ts'
import { idMember, intoMember, intoVariable, memoryRefMember, memoryRefOf, textOf } from './memory-config.ts'

export const memoryDelete = defineNodeType({
  typeId: 'colophon.memory.delete',
  description: 'Deletes an entry that the run can see.',
  config: { id: idMember, memoryRef: memoryRefMember, into: intoMember },
  replay: 'effects',
  async execute(request) {
    const deleted = await request.memory.delete(memoryRefOf(request), textOf(request, 'id'))
    return { kind: 'completed', outputs: { deleted }, ...intoVariable(request, deleted) }
  },
})

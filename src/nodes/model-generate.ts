import type { HostNodeRequest } from '../app/runs/node-type.ts'
import { defineNodeType } from './define-node-type.ts'
import { intoMember, intoVariable, textOf } from './memory-config.ts'
import { failureOf, maxTokensMember, modelOptions } from './model-answer.ts'

export const modelGenerate = defineNodeType({
  typeId: 'colophon.model.generate',
  description: 'Asks the model of the host for a text.',
  config: {
    prompt: { description: 'what to ask', type: 'text', isRequired: true },
    system: { description: 'the instructions', type: 'text' },
    maxTokens: maxTokensMember,
    into: intoMember,
  },
  replay: 'effects',
  async execute(plain) {
    const request = plain as HostNodeRequest
    const system =
      request.config.system === undefined ? [] : [{ role: 'system', content: textOf(request, 'system') } as const]
    const messages = [...system, { role: 'user', content: textOf(request, 'prompt') } as const]
    const answer = await request.model.complete({ messages, ...modelOptions(request) })
    const failure = failureOf(answer)
    if (failure !== null) return failure
    const text = answer.text ?? ''
    return { kind: 'completed', outputs: { text }, ...intoVariable(request, text) }
  },
})

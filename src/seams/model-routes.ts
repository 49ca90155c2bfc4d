import { z } from 'zod'
import { semanticRequestKey } from '../core/agents/request-key.ts'
import { sha256 } from '../core/audit/digest.ts'
import type { App } from '../http/route-context.ts'

/** What decides an answer. Other members, such as ids, the user or a time-out, are no part of the key. */
const SemanticRequest = z.object({
  provider: z.string(),
  model: z.string(),
  messages: z.array(z.unknown()),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  temperature: z.number().optional(),
  topP: z.number().optional(),
  topK: z.number().optional(),
  maxOutputTokens: z.number().optional(),
  seed: z.number().optional(),
  stop: z.array(z.unknown()).optional(),
  responseFormat: z.looseObject({}).optional(),
  safetySettings: z.union([z.looseObject({}), z.array(z.unknown())]).optional(),
  providerOptions: z.looseObject({}).optional(),
})

/** The key of a request to a model, for conformance tests: with a plain hash, where runs store one with the key of the tenant. */
export function modelSeams(app: App): void {
  app.post(
    '/v1/host/sample/test/llm-cache-key',
    { config: { access: 'memory:admin' }, schema: { hide: true, body: z.unknown() } },
    async (request, reply) => {
      const parsed = SemanticRequest.safeParse(request.body)
      if (!parsed.success) {
        const message = 'provider, model and messages are required, and options must have their types.'
        return reply.code(400).send({ error: 'invalid_argument', message })
      }
      const { provider, model, providerOptions, ...semantic } = parsed.data
      return { cacheKey: semanticRequestKey({ provider, model, request: semantic, providerOptions }, sha256) }
    },
  )
}

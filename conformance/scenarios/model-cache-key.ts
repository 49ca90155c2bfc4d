// The key of a request to a model: what decides the answer, and nothing else.
import { createHash } from 'node:crypto'
import { at, type Check } from '../harness.ts'
import { scenario } from '../support.ts'

const facts = 'agents 11, 14'
const base = {
  provider: 'openai',
  model: 'tiny-1',
  messages: [
    { role: 'system', content: 'Be short. Ä' },
    { role: 'user', content: 'How much is 2+2?' },
  ],
  temperature: 0.5,
}

async function keyOf(check: Check, request: object): Promise<string> {
  const answer = await check.http('POST', '/v1/host/sample/test/llm-cache-key', { body: request })
  if ([404, 405, 501].includes(answer.status)) {
    if (at(check.discovery, 'multiAgent', 'executionModel', 'replayDeterminism', 'supported') !== true)
      check.inapplicable('replayDeterminism is not advertised, and the seam test/llm-cache-key is not served')
    check.blocked('the seam test/llm-cache-key is not served')
  }
  check.equal(answer.status, 200, 'the seam test/llm-cache-key')
  const { cacheKey } = answer.body
  check.ok(typeof cacheKey === 'string' && /^[0-9a-f]{64}$/.test(cacheKey), 'cacheKey is a SHA-256 in lowercase hex')
  return String(cacheKey)
}

/** The recipe, written out: members in the order of RFC 8785. */
const recipe = (request: string, providerOptions = '') =>
  createHash('sha256')
    .update(
      `{"model":"tiny-1","provider":"openai",${providerOptions}"recipe":"openwop-semantic-request-v2","request":{${request}}}`,
    )
    .digest('hex')

const messages = '"messages":[{"content":"Be short. Ä","role":"system"},{"content":"How much is 2+2?","role":"user"}]'

export const scenarios = [
  scenario('replay-llm-cache-key', facts, 'The key of a request is the hash of the recipe', async (check) => {
    check.equal(await keyOf(check, base), recipe(`${messages},"temperature":0.5`), 'the key of the request')
    const tools = [{ name: 'b' }, { name: 'a' }]
    const options = { tools, seed: 7, stop: ['X'], maxOutputTokens: 9, providerOptions: { 'vendor.openai.bias': 1 } }
    const request = `"maxOutputTokens":9,${messages},"seed":7,"stop":["X"],"temperature":0.5,"tools":[{"name":"a"},{"name":"b"}]`
    check.equal(
      await keyOf(check, { ...base, ...options }),
      recipe(request, '"providerOptions":{"vendor.openai.bias":1},'),
      'the key of the request with options',
    )
  }),

  scenario(
    'replay-llm-cache-key.invariance',
    facts,
    'What cannot change the answer does not change the key',
    async (check) => {
      const noise = { stream: true, metadata: { a: 1 }, user: 'u', traceparent: '00-1', tenantId: 't', timeoutMs: 1 }
      const key = await keyOf(check, base)
      check.equal(await keyOf(check, { ...noise, ...base }), key, 'the key with members of the transport')
    },
  ),

  scenario('replay-llm-cache-key.sensitivity', facts, 'What can change the answer changes the key', async (check) => {
    const changes = [
      {},
      { model: 'tiny-2' },
      { provider: 'other' },
      { temperature: 1 },
      { topP: 1 },
      { topK: 1 },
      { seed: 1 },
      { stop: ['X'] },
      { maxOutputTokens: 1 },
      { responseFormat: { type: 'json_object' } },
      { safetySettings: { level: 1 } },
      { providerOptions: { 'vendor.openai.bias': 1 } },
    ]
    const keys = await Promise.all(changes.map((change) => keyOf(check, { ...base, ...change })))
    check.equal(new Set(keys).size, changes.length, 'each request has a key of its own')
  }),

  scenario('replay-llm-cache-key.invalid', facts, 'A request without its members is refused', async (check) => {
    await keyOf(check, base)
    for (const missing of ['provider', 'model', 'messages']) {
      const body = Object.fromEntries(Object.entries(base).filter(([name]) => name !== missing))
      const answer = await check.http('POST', '/v1/host/sample/test/llm-cache-key', { body })
      check.refused(answer, [400], ['invalid_argument'], `a request without ${missing}`)
    }
  }),
]

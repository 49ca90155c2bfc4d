import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Target } from '../../conformance/harness.ts'
import { type Env, randomKey, type StorageName, startServer, type TestServer } from '../support/server.ts'

const host = '/v1/host/colophon'

/** The agent of the seams, which asks for every kind of memory. */
export const seamAgentId = 'core.conformance.memory-agent'

/** Names that do not come in the order in which they are registered, so that the order of the inventory means something. */
const agentNames = ['zinnia', 'aster', 'mallow']

export type ConformanceHost = { readonly server: TestServer; readonly target: Target } & AsyncDisposable

async function makeKey(server: TestServer, scopes: readonly string[]): Promise<{ id: string; key: string }> {
  const made = await server.call('POST', `${host}/keys`, { name: randomBytes(4).toString('hex'), scopes })
  assert.equal(made.status, 201, made.text)
  return made.body
}

async function makeRevokedKey(server: TestServer): Promise<string> {
  const { id, key } = await makeKey(server, ['runs:create'])
  const revoked = await server.call('DELETE', `${host}/keys/${id}`)
  assert.equal(revoked.status, 200, revoked.text)
  return key
}

async function registerAgents(server: TestServer): Promise<void> {
  for (const name of agentNames) {
    const manifest = {
      agentId: `local.conformance.${name}`,
      persona: name,
      label: name,
      modelClass: 'general',
      systemPrompt: `You are called ${name}.`,
    }
    const made = await server.call('POST', `${host}/agents`, manifest)
    assert.equal(made.status, 201, made.text)
  }
}

/** The real server with its seams on, and everything prepared that the suite can use. */
export async function startConformanceHost(storage: StorageName, env: Env = {}): Promise<ConformanceHost> {
  const keyB = randomKey()
  const seams = { COLOPHON_TEST_SEAMS: '1', COLOPHON_WEBHOOK_ALLOW_PRIVATE: '1', COLOPHON_BOOTSTRAP_KEY_B: keyB }
  const server = await startServer({ storage, env: { ...seams, ...env } })
  try {
    await registerAgents(server)
    const target: Target = {
      url: server.url,
      key: server.key,
      keyB,
      lowScopeKey: (await makeKey(server, ['runs:read'])).key,
      revokedKey: await makeRevokedKey(server),
      expiredRunId: null,
      // Memory that ends with the process is not what this agent asks for.
      degradedAgentId: storage === 'memory' ? seamAgentId : null,
      webhookReceiver: true,
    }
    return { server, target, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}

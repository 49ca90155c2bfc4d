// Credentials and things that look like them never come back.
import { canaries, marker } from '../canaries.ts'
import { type Answer, asArray, type Check, isObject } from '../harness.ts'
import { scenario, strings, unknownId } from '../support.ts'

const facts = 'core 26.31'
const adversarialFacts = 'core 26.32, memory 15.5'

function noCanary(check: Check, text: string, where: string): void {
  check.absent(text, marker, `${where} holds no canary`)
  for (const canary of Object.values(canaries)) check.absent(text, canary, `${where} holds no canary`)
}

function noEcho(check: Check, answer: Answer, where: string): void {
  noCanary(check, answer.text, `the body of ${where}`)
  for (const [name, value] of answer.headers) noCanary(check, value, `the header ${name} of ${where}`)
}

/** Reads a run on every surface that shows its events. */
async function noCanaryInEvents(check: Check, runId: string): Promise<void> {
  await check.waitFor(runId)
  const events = await check.events(runId)
  check.ok(events.length > 0, 'the run has events')
  noCanary(check, JSON.stringify(events), 'the polled log')
  const stream = await check.sse(`/v1/runs/${runId}/events?streamMode=debug`)
  check.equal(stream.status, 200, 'the debug stream')
  noCanary(check, stream.text, 'the debug stream')
}

export const scenarios = [
  scenario(
    'redaction.secrets-shape',
    facts,
    'secrets says which scopes it knows and who resolves them',
    async (check) => {
      const secrets = check.family('secrets')
      if (secrets === undefined) return check.inapplicable('secrets is not advertised')
      check.ok(typeof secrets.supported === 'boolean', 'secrets.supported is a boolean')
      if (secrets.supported !== true) return
      check.ok(asArray(secrets.scopes).length > 0, 'secrets.scopes is filled')
      for (const scope of asArray(secrets.scopes)) check.oneOf(scope, ['tenant', 'user', 'run', 'workspace'], 'a scope')
      check.equal(secrets.resolution, 'host-managed', 'secrets.resolution')
    },
  ),

  scenario(
    'redaction.providers-shape',
    facts,
    'aiProviders lists byok providers among the supported ones',
    async (check) => {
      const providers = check.family('aiProviders')
      if (providers === undefined) return check.inapplicable('aiProviders is not advertised')
      check.ok(Array.isArray(providers.supported), 'aiProviders.supported is an array')
      const supported = strings(providers.supported)
      for (const provider of [...strings(providers.byok), ...strings(providers.selfHosted)])
        check.ok(supported.includes(provider), `${provider} is also in aiProviders.supported`)
    },
  ),

  scenario('redaction.bearer', facts, 'A bearer value is never repeated', async (check) => {
    for (const canary of Object.values(canaries)) {
      const create = await check.http('POST', '/v1/runs', { body: { workflowId: 'conformance-noop' }, auth: canary })
      check.equal(create.status, 401, 'POST /v1/runs with a canary as the key')
      noEcho(check, create, 'POST /v1/runs')
      const read = await check.http('GET', `/v1/runs/${unknownId()}`, { auth: canary })
      check.equal(read.status, 401, 'GET of a run with a canary as the key')
      noEcho(check, read, 'GET of a run')
    }
  }),

  scenario('redaction.credential-ref', facts, 'A credentialRef never reaches the events', async (check) => {
    check.needsFixture('conformance-noop')
    const body = { workflowId: 'conformance-noop', configurable: { ai: { credentialRef: canaries.credentialRef } } }
    const answer = await check.http('POST', '/v1/runs', { body })
    check.oneOf(answer.status, [201, 400, 403, 422], 'POST /v1/runs with a credentialRef')
    noEcho(check, answer, 'POST /v1/runs')
    if (answer.status === 201) await noCanaryInEvents(check, String(answer.body.runId))
  }),

  scenario(
    'redaction-adversarial.inputs',
    adversarialFacts,
    'Undeclared inputs never reach the events',
    async (check) => {
      check.needsFixture('conformance-noop')
      const inputs = { ...canaries, nested: { list: Object.values(canaries) } }
      const runId = await check.createRun({ workflowId: 'conformance-noop', inputs })
      await noCanaryInEvents(check, runId)
    },
  ),

  scenario(
    'redaction-adversarial.workflow-id',
    adversarialFacts,
    'A token as a workflowId is not repeated',
    async (check) => {
      const answer = await check.http('POST', '/v1/runs', { body: { workflowId: `wf-${canaries.jwt}` } })
      check.refused(answer, [400, 404], null, 'a workflowId that looks like a token')
      noEcho(check, answer, 'POST /v1/runs')
    },
  ),

  scenario(
    'redaction-adversarial.paths',
    'core 5.1',
    'A token in a path is not repeated in the error',
    async (check) => {
      for (const path of [
        `/v1/runs/${canaries.jwt}`,
        `/v1/workflows/${canaries.jwt}`,
        `/v1/interrupts/${canaries.jwt}`,
      ]) {
        const answer = await check.http('GET', path)
        check.ok(answer.status >= 400 && answer.status < 500, `${path.slice(0, 12)}… is refused`)
        noEcho(check, answer, path.slice(0, 12))
      }
    },
  ),

  scenario(
    'redaction-adversarial.failure',
    'core 23',
    'The error of a failing run holds nothing of its inputs',
    async (check) => {
      check.needsFixture('conformance-failure')
      const runId = await check.createRun({ workflowId: 'conformance-failure', inputs: { ...canaries } })
      await noCanaryInEvents(check, runId)
      const { error } = await check.snapshot(runId)
      check.ok(isObject(error), 'the run has an error')
      noCanary(check, JSON.stringify(error), 'the error of the snapshot')
    },
  ),
]

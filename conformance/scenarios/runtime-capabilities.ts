// What the host provides to nodes, and what it does with workflows that need more.
import { asArray, at } from '../harness.ts'
import { finishedRun, ofType, scenario, strings } from '../support.ts'

/** Families of node types that need a capability, by the beginning of the fixtures that use them. */
const gated = [
  { prefix: 'conformance-conversation-', advertised: ['conversationPrimitive'] },
  { prefix: 'conformance-orchestrator-', advertised: ['orchestrator', 'supported'] },
  { prefix: 'conformance-dispatch-', advertised: ['dispatch', 'supported'] },
]

export const scenarios = [
  scenario(
    'runtime-capabilities.shape',
    'core 26.42',
    'runtimeCapabilities is a list of unique names',
    async (check) => {
      const value = check.discovery.runtimeCapabilities
      if (value === undefined) check.inapplicable('runtimeCapabilities is not advertised')
      check.ok(Array.isArray(value), 'it is an array')
      check.ok(
        asArray(value).every((name) => typeof name === 'string' && name !== ''),
        'every entry is a text',
      )
      check.equal(new Set(asArray(value)).size, asArray(value).length, 'the number of different entries')
    },
  ),

  scenario(
    'runtime-capabilities.missing',
    'core 26.42',
    'A node that needs what is not provided does not run',
    async (check) => {
      const { runId, snapshot } = await finishedRun(check, { workflowId: 'conformance-capability-missing' })
      check.equal(snapshot.status, 'failed', 'the terminal status')
      check.equal(at(snapshot.error, 'code'), 'capability_not_provided', 'error.code')
      const capability = at(snapshot.error, 'details', 'capability')
      check.ok(typeof capability === 'string' && capability !== '', 'error.details.capability is a text')
      check.ok(String(at(snapshot.error, 'message')).includes(String(capability)), 'the message names the capability')
      check.equal(ofType(await check.events(runId), 'node.completed').length, 0, 'the number of completed nodes')
    },
  ),

  scenario(
    'conversation-capability-negotiation',
    'core 26.43, 2.6',
    'Workflows that need an unadvertised capability are refused',
    async (check) => {
      const unadvertised = gated.filter(({ advertised: [family = '', field] }) => {
        const value = check.discovery[family]
        return field === undefined ? value !== true : at(value, field) !== true
      })
      if (unadvertised.length === 0) check.inapplicable('the host advertises all of them')
      const seeded = strings(check.discovery.fixtures)
      const workflows = unadvertised.flatMap(({ prefix }) => [
        `${prefix}basic`,
        ...seeded.filter((id) => id.startsWith(prefix)),
      ])
      for (const workflowId of workflows) {
        const answer = await check.http('POST', '/v1/runs', { body: { workflowId } })
        const codes = ['capability_required', 'validation_error', 'not_found', 'workflow_not_found']
        check.refused(answer, [400, 404, 422], codes, `a run of ${workflowId}`)
      }
    },
  ),
]

// Policies about model providers, and what model calls cost.
import { asArray, at, isObject } from '../harness.ts'
import { completedRun, ofType, scenario } from '../support.ts'

const facts = 'core 26.41'

export const scenarios = [
  scenario('policies', facts, 'aiProviders.policies uses the known modes', async (check) => {
    const policies = at(check.discovery, 'aiProviders', 'policies')
    if (!isObject(policies)) return check.inapplicable('aiProviders.policies is not advertised')
    check.ok(asArray(policies.modes).length > 0, 'policies.modes is filled')
    for (const mode of asArray(policies.modes))
      check.oneOf(mode, ['disabled', 'optional', 'required', 'restricted'], 'a mode')
    if (policies.errorCode !== undefined) check.ok(typeof policies.errorCode === 'string', 'errorCode is a text')
  }),

  scenario(
    'provider-policy-enforcement',
    facts,
    'A denied provider call fails with the advertised code',
    async (check) => {
      if (!isObject(at(check.discovery, 'aiProviders', 'policies')))
        check.inapplicable('aiProviders.policies is not advertised')
      check.blocked('how a policy is set on a host is not part of the protocol')
    },
  ),

  scenario('provider-usage', 'core 26.52', 'Model calls leave a provider.usage event', async (check) => {
    check.needsFamily('providerUsage')
    const { runId } = await completedRun(check, { workflowId: 'conformance-stream-text' })
    const usages = ofType(await check.events(runId), 'provider.usage')
    check.ok(usages.length > 0, 'there is a provider.usage event')
    for (const usage of usages) {
      for (const field of ['provider', 'model'])
        check.ok(typeof at(usage.payload, field) === 'string', `${field} is a text`)
      for (const field of ['inputTokens', 'outputTokens'])
        check.ok(Number.isInteger(at(usage.payload, field)), `${field} is an integer`)
      check.publishedEvent(usage)
    }
  }),

  scenario('cost-attribution', 'core 26.52, 7.2', 'What a run cost is on its snapshot', async (check) => {
    if (!check.hasFixture('openwop-smoke-cost-emit')) check.inapplicable('openwop-smoke-cost-emit is not seeded')
    const { snapshot } = await completedRun(check, { workflowId: 'openwop-smoke-cost-emit' })
    const cost = at(snapshot, 'metrics', 'openwopCost')
    check.ok(isObject(cost), 'metrics.openwopCost is an object')
    check.ok(typeof at(cost, 'usd') === 'number', 'usd is a number')
    check.published('run-snapshot', snapshot, 'the snapshot')
  }),
]

// Budgeted reads of a host that also ranks by meaning: the proxy claims it and makes up what a run of the fixture leaves
// behind.
import type { JsonObject } from '../harness.ts'
import { member } from './edits.ts'
import type { NoticedFault } from './noticed.ts'
import type { Fault } from './proxy.ts'

const fixture = 'conformance-agent-memory-injection-budget'
const scenario = 'memory-injection-budget'

const rightVariables: JsonObject = {
  tokenBudget: 100,
  budgetedTokenTotal: 80,
  budgetedEntries: [{ id: 'mem_small' }],
  overBudgetEntryId: 'mem_large',
  overBudgetEntryOmitted: true,
  redactedContentSample: 'the key is [REDACTED:secret]',
  crossTenantBudgetedProbe: [],
  recencyOrder: ['mem_new', 'mem_old'],
  relevanceOrder: ['mem_old', 'mem_new'],
}

function claim(document: JsonObject): JsonObject {
  const memory = {
    ...member(document.memory),
    injectionBudget: { supported: true, tokenCounter: 'chars' },
    search: { supported: true, modes: ['semantic'] },
  }
  return { ...document, memory, fixtures: [fixture] }
}

/** A host with budgeted reads that does right, but for the variables given. */
export function withBudgetedReads(wrong: JsonObject = {}): Fault {
  return {
    request: (request) =>
      request.body?.workflowId === fixture
        ? { ...request, body: { ...request.body, workflowId: 'conformance-noop' } }
        : request,
    answer(answer, { method, path }) {
      if (path === '/.well-known/openwop') return { ...answer, body: claim(member(answer.body)) }
      if (method !== 'GET' || !/^\/v1\/runs\/[^/?]+$/.test(path)) return answer
      return { ...answer, body: { ...member(answer.body), variables: { ...rightVariables, ...wrong } } }
    },
  }
}

export const budgetFaults: readonly NoticedFault[] = [
  {
    name: 'more is read than the budget allows',
    scenario,
    reason: /keep to the budget/,
    fault: withBudgetedReads({ budgetedTokenTotal: 101 }),
  },
  {
    name: 'an entry larger than the whole budget is read',
    scenario,
    reason: /left out, not cut/,
    fault: withBudgetedReads({ overBudgetEntryId: 'mem_small' }),
  },
  {
    name: 'a secret is in a budgeted read',
    scenario,
    reason: /redactedContentSample/,
    fault: withBudgetedReads({ redactedContentSample: 'the key is hunter2' }),
  },
  {
    name: 'a budgeted read of a foreign ref finds something',
    scenario,
    reason: /crossTenantBudgetedProbe/,
    fault: withBudgetedReads({ crossTenantBudgetedProbe: [{ id: 'mem_foreign' }] }),
  },
  {
    name: 'relevance is only recency',
    scenario,
    reason: /relevance orders otherwise/,
    fault: withBudgetedReads({ relevanceOrder: ['mem_new', 'mem_old'] }),
  },
]

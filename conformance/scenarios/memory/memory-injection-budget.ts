import { asArray, at, type Check, type JsonObject, type Scenario } from '../../harness.ts'
import { expectCompleted, isNothing, redactedMarker, runFixture } from '../../memory/long-term.ts'

const fixture = 'conformance-agent-memory-injection-budget'

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string')

function expectWithinBudget(check: Check, variables: JsonObject): void {
  const { tokenBudget, budgetedTokenTotal, budgetedEntries, overBudgetEntryId } = variables
  check.ok(typeof tokenBudget === 'number', 'tokenBudget is a number')
  check.ok(typeof budgetedTokenTotal === 'number', 'budgetedTokenTotal is a number')
  check.ok(Number(budgetedTokenTotal) <= Number(tokenBudget), 'the entries together keep to the budget')
  check.equal(variables.overBudgetEntryOmitted, true, 'overBudgetEntryOmitted')
  check.ok(typeof overBudgetEntryId === 'string', 'overBudgetEntryId is a string')
  check.ok(Array.isArray(budgetedEntries), 'budgetedEntries is an array')
  const ids = asArray(budgetedEntries).map((entry) => at(entry, 'id'))
  check.ok(!ids.includes(overBudgetEntryId), 'an entry larger than the whole budget is left out, not cut')
  check.matches(variables.redactedContentSample, redactedMarker, 'redactedContentSample')
  const foreign = variables.crossTenantBudgetedProbe
  check.ok(isNothing(foreign) || !foreign, 'crossTenantBudgetedProbe is empty')
}

export const memoryInjectionBudget: Scenario = {
  id: 'memory-injection-budget',
  facts: 'memory 16.5',
  title: 'A budgeted read keeps to its budget, to redaction and to its tenant',
  async run(check) {
    const memory = check.family('memory')
    if (at(memory, 'injectionBudget', 'supported') !== true) {
      check.inapplicable('memory.injectionBudget.supported is not advertised')
    }
    if (!check.hasFixture(fixture)) check.inapplicable(`fixture ${fixture} is not advertised`)
    const variables = expectCompleted(check, await runFixture(check, fixture))
    expectWithinBudget(check, variables)

    const canRank =
      at(memory, 'search', 'supported') === true && asArray(at(memory, 'search', 'modes')).includes('semantic')
    if (!canRank) return
    const { recencyOrder, relevanceOrder } = variables
    check.ok(isTextList(recencyOrder), 'recencyOrder is an array of strings')
    check.ok(isTextList(relevanceOrder), 'relevanceOrder is an array of strings')
    check.ok(JSON.stringify(recencyOrder) !== JSON.stringify(relevanceOrder), 'relevance orders otherwise than recency')
  },
}

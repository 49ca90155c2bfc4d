import { at, type Check, type Scenario, type Snapshot } from '../../harness.ts'
import { expectEntries, idsOf } from '../../memory/entry.ts'
import { expectCompleted, isNothing, needsLongTerm, runFixture } from '../../memory/long-term.ts'

const fixture = 'conformance-agent-memory-cross-tenant'
const foreignRef = 'conformance/another-tenant/agent-memory'

/** The owner's half is the control: a host that returns nothing to any caller would otherwise look isolated. */
function expectOwnerOnly(check: Check, run: Snapshot): { readonly ownerEntryId: string; readonly listed: string[] } {
  const { ownerProbe, ownerEntryId, crossTenantProbe } = expectCompleted(check, run)
  const listed = idsOf(expectEntries(check, ownerProbe, 'ownerProbe'))
  check.ok(listed.length > 0, 'ownerProbe: the owner sees its own memory')
  if (typeof ownerEntryId === 'string' && ownerEntryId !== '') {
    check.ok(listed.includes(ownerEntryId), 'ownerProbe holds the entry that was just written')
  }
  check.ok(crossTenantProbe !== undefined, 'crossTenantProbe was set')
  check.ok(isNothing(crossTenantProbe), 'crossTenantProbe is exactly [] or null')
  return { ownerEntryId: String(ownerEntryId ?? ''), listed }
}

export const agentMemoryCrossTenantIsolation: Scenario = {
  id: 'agentMemoryCrossTenantIsolation',
  facts: 'memory 16.2',
  title: 'CTI-1: a foreign memoryRef yields nothing while the own one yields its entries',
  async run(check) {
    needsLongTerm(check, fixture)
    const run = await runFixture(check, fixture)
    check.oneOf(run.status, ['completed', 'failed'], 'the probe ends')
    if (run.status === 'completed') expectOwnerOnly(check, run)
    else check.absent(JSON.stringify(at(run, 'error') ?? null), foreignRef, 'the error names the foreign ref')
  },
}

export const agentMemoryCrossTenantTwoTenants: Scenario = {
  id: 'agentMemoryCrossTenantIsolation-two-tenants',
  facts: 'memory 16.26 on the v1 wire',
  title: 'CTI-1: two tenants use the same memoryRef and neither sees an entry of the other',
  async run(check) {
    needsLongTerm(check, fixture)
    if (check.target.keyB === null) check.blocked('there is no key of a second tenant (--key-b)')
    const mine = expectOwnerOnly(check, await runFixture(check, fixture))
    const theirs = expectOwnerOnly(check, await runFixture(check, fixture, { auth: 'keyB' }))
    check.ok(mine.ownerEntryId !== '' && theirs.ownerEntryId !== '', 'both runs say which entry they wrote')
    if (mine.ownerEntryId === theirs.ownerEntryId) check.blocked('both tenants use the same entry id')
    check.ok(!theirs.listed.includes(mine.ownerEntryId), 'the second tenant does not see the entry of the first')
    const shared = theirs.listed.filter((id) => mine.listed.includes(id))
    check.equal(shared, [], 'entries both tenants see')
    const again = expectOwnerOnly(check, await runFixture(check, fixture))
    check.ok(!again.listed.includes(theirs.ownerEntryId), 'the first tenant does not see the entry of the second')
  },
}

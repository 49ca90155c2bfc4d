import { at, type Check, type Scenario } from '../../harness.ts'
import { memoryIdsOf, needsWriteEvents, seedWritingRun } from '../../memory/attribution.ts'

function expectOwnRun(check: Check, run: Awaited<ReturnType<typeof seedWritingRun>>): void {
  for (const { runId } of run.written)
    check.equal(runId, run.runId, 'memory.written belongs to the run it is read from')
}

export const memoryAttributionTenantScoped: Scenario = {
  id: 'memory-attribution-tenant-scoped',
  facts: 'memory 16.9',
  title: 'Write events belong to the run in whose log they stand',
  async run(check) {
    needsWriteEvents(check)
    expectOwnRun(check, await seedWritingRun(check))
  },
}

/** The half that the published scenario only announces. */
export const memoryAttributionTwoTenants: Scenario = {
  id: 'memory-attribution-tenant-scoped-two-tenants',
  facts: 'memory 16.9, 18 memory-attribution-tenant-scoped',
  title: 'Write events of one tenant cannot be read by another',
  async run(check) {
    needsWriteEvents(check)
    if (check.target.keyB === null) check.blocked('there is no key of a second tenant (--key-b)')
    const mine = await seedWritingRun(check)
    const theirs = await seedWritingRun(check, 'keyB')
    expectOwnRun(check, theirs)
    const myIds = memoryIdsOf(mine.written)
    check.equal(
      memoryIdsOf(theirs.written).filter((id) => myIds.includes(id)),
      [],
      'entry ids that both tenants claim to have written',
    )
    const runUrl = `/v1/runs/${mine.runId}`
    for (const path of [runUrl, `${runUrl}/events`, `${runUrl}/events/poll?timeout=1`, `${runUrl}/debug-bundle`]) {
      const answer = await check.http('GET', path, { auth: 'keyB' })
      check.refused(answer, [403, 404], null, `the other tenant reads ${path.slice(runUrl.length) || 'the run'}`)
      for (const id of myIds) check.absent(answer.text, id, 'the refusal names an entry of the other tenant')
    }
    const stream = await check.sse(`${runUrl}/events?streamMode=debug`, { auth: 'keyB' })
    check.oneOf(stream.status, [403, 404], 'the other tenant opens the event stream')
    for (const event of theirs.log) {
      check.ok(!myIds.includes(String(at(event.payload, 'memoryId'))), 'a log names an entry of the other tenant')
    }
  },
}

import { refs } from '../plan.ts'
import { entriesPath } from '../wire.ts'
import { allRows, type Checked, compare, get, type Row, shorten, type TenantCheck } from './check.ts'

/** Entries: each acknowledged one is stored once, no deleted one is, and there is nothing else. */
export const entriesAreStored: TenantCheck = async ({ ledger }, caller) => {
  const result: Checked = { checked: ledger.entries.size, problems: [] }
  for (const ref of refs) {
    const rows = await allRows(caller, `${entriesPath(ref)}?limit=500`, 'entries')
    const found = rows.map(({ id, content }) => `${id} ${shorten(content)}`)
    const expected = [...ledger.entries]
      .filter(([, entry]) => entry.ref === ref && !entry.isDeleted)
      .map(([id, { content }]) => `${id} ${shorten(content)}`)
    result.problems.push(...compare('the entry', found, expected))
    const contents = new Map([...ledger.entries].map(([id, { content }]) => [id, content]))
    for (const { id, content } of rows)
      if ((contents.get(id) ?? content) !== content) result.problems.push(`the entry ${id} has another content`)
  }
  return result
}

/** Forgetting: the refs are empty, the receipt confirms it, and each request is recorded once. */
export const forgottenIsErased: TenantCheck = async ({ ledger }, caller) => {
  const rows = await allRows(caller, '/v1/host/colophon/forget?limit=50', 'forgets')
  const problems = compare(
    'the forget',
    rows.map(({ id, status }: Row) => `${id} ${status}`),
    [...ledger.forgotten.keys()].map((id) => `${id} completed`),
  )
  for (const { id, receipt } of rows)
    if (Object.values(receipt?.left ?? { receipt: 1 }).some((left) => left !== 0)) problems.push(`${id} left something`)
  for (const ref of ledger.forgotten.values()) {
    const { entries } = await get(caller, entriesPath(ref))
    if (entries.length > 0) problems.push(`${ref} still has ${entries.length} entries`)
  }
  return { checked: ledger.forgotten.size, problems }
}

/** Source events: each is recorded once, under the job that was returned, and the job is completed. */
export const eventsAreRecorded: TenantCheck = async ({ ledger }, caller) => {
  const rows = await allRows(caller, '/v1/tenant/source-events?limit=500', 'data')
  const found = rows.map(({ event_id, extraction_job_id }) => `${event_id} ${extraction_job_id}`)
  const expected = [...ledger.sourceEvents.values()].map(({ eventId, jobId }) => `${eventId} ${jobId}`)
  return { checked: expected.length, problems: compare('the event', found, expected) }
}

/** Memories: each ingested content is stored once, with all of its sources; edits took effect once. */
export const memoriesAreStored: TenantCheck = async ({ ledger }, caller) => {
  const problems: string[] = []
  const users = new Set([...ledger.sourceEvents.values()].map(({ user }) => user))
  for (const user of users) {
    const rows = await allRows(caller, `/v1/memories?external_user_id=${user}&limit=50&include_superseded=true`, 'data')
    const events = [...ledger.sourceEvents.values()].filter((event) => event.user === user)
    const edited = new Map([...ledger.edited].map(([id, { contents }]) => [id, contents]))
    const found = rows.map(({ id, content, sources }: Row) => `${edited.get(id)?.[0] ?? content} (${sources} sources)`)
    const contents = new Set(events.map(({ content }) => content))
    const expected = [...contents].map(
      (content) => `${content} (${events.filter((event) => event.content === content).length} sources)`,
    )
    problems.push(...compare(`what ${user} is known for`, found, expected))
    const holding = rows.filter(({ claim_key, status }: Row) => claim_key !== null && status === 'active')
    const newest = events
      .filter(({ claimKey }) => claimKey !== null)
      .sort((a, b) => (a.observedAt < b.observedAt ? 1 : -1))
    problems.push(
      ...compare(
        `the choice of ${user}`,
        holding.map(({ content }: Row) => content),
        newest.slice(0, 1).map(({ content }) => content),
      ),
    )
  }
  for (const [id, { contents }] of ledger.edited) {
    const { data } = await get(caller, `/v1/memories/${id}/history`)
    const versions = data
      .toSorted((a: Row, b: Row) => a.version_number - b.version_number)
      .map(({ content }: Row) => content)
    if (JSON.stringify(versions) !== JSON.stringify(contents))
      problems.push(`the memory ${id} has the versions ${JSON.stringify(versions)}`)
  }
  return { checked: ledger.sourceEvents.size + ledger.edited.size, problems }
}

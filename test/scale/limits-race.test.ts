import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { createCommitment } from '../../src/app/commitments/manage-commitments.ts'
import { createHeartbeat } from '../../src/app/heartbeats/manage-heartbeats.ts'
import type { Tenant } from '../../src/app/tenant.ts'
import { putFile } from '../../src/app/workspace/files.ts'
import { refOfCommitments, waitingTag } from '../../src/core/commitments/commitment.ts'
import { isColophonError } from '../../src/core/errors.ts'
import { limits } from '../../src/core/limits.ts'
import { defaultWorkspace, refOfWorkspace, tagsOfFile } from '../../src/core/workspace/workspace-file.ts'
import { putSchedule } from '../../src/jobs/cron-schedules.ts'
import { saveSchedule } from '../../src/jobs/manage-schedules.ts'
import { composeEngine } from '../../src/open.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'

after(releaseServer)

const origin = { kind: 'api' } as const

/** Fills a ref, or many, with entries that count. */
async function fill(tenant: Tenant, count: number, of: (n: number) => { memoryRef: string; tags: readonly string[] }) {
  const puts = Array.from({ length: count }, (_, n) => ({
    ...{ ...of(n), entryId: tenant.system.newId('mem'), content: 'x', salt: 's' },
    ...{ origin, expiresAt: null, subject: null },
  }))
  await tenant.commit({ kind: 'memory.written', puts }, { call: { operation: 'fill' } })
}

/** Starts calls on two processes at the same time. Gives the number that were stored, and the codes of the refusals. */
async function race(tenants: readonly Tenant[], calls: number, call: (tenant: Tenant, n: number) => Promise<unknown>) {
  const all = Array.from({ length: calls }, (_, n) => call(tenants[n % tenants.length] as Tenant, n))
  const settled = await Promise.allSettled(all)
  const codes = settled.flatMap((result) =>
    result.status === 'fulfilled' ? [] : [isColophonError(result.reason) ? result.reason.code : String(result.reason)],
  )
  return { stored: calls - codes.length, codes: [...new Set(codes)] }
}

test('two processes together keep to the limits of a tenant', async () => {
  const database = await createDatabase()
  const engines = await Promise.all(
    [1, 2].map(async () =>
      composeEngine(await openPostgres({ url: database.url, now: Date.now }), nodeSystem(), 'test', null),
    ),
  )
  try {
    const tenants = engines.map(({ engine }) => engine.tenant('acme'))
    const [first] = tenants as [Tenant]
    await fill(first, limits.workspaceFilesMax - 2, (n) => ({
      memoryRef: refOfWorkspace(defaultWorkspace),
      tags: tagsOfFile({ path: `f${n}`, contentType: 'text/plain', version: 1 }),
    }))
    const files = await race(tenants, 6, (tenant, n) => putFile(tenant, defaultWorkspace, `new${n}`, { content: 'x' }))
    assert.deepEqual(files, { stored: 2, codes: ['workspace_too_large'] })

    const draft = { predicate: 'count', memoryRef: 'inbox', intervalSec: 60 } as const
    const beats = await race(tenants, limits.heartbeatsPerTenantMax + 4, (tenant) => createHeartbeat(tenant, draft, {}))
    assert.deepEqual(beats, { stored: limits.heartbeatsPerTenantMax, codes: ['validation_error'] })

    const admin = Array.from({ length: limits.schedulesPerTenantMax - 3 }, (_, n) => {
      const text = { cron: '0 4 * * *', kind: 'colophon.re-redact', payload: null }
      return { kind: 'schedule', id: `s${n}`, body: { text, facts: {}, sealed: {} }, expects: 0 } as const
    })
    await first.commit({ kind: 'admin.schedule.put', admin }, { call: { operation: 'fill' } })
    // A row without a record, as the host has them, takes one of the places.
    await putSchedule(first, { scheduleId: 'own', cron: '0 4 * * *', kind: 'mail' })
    const weekly = { cron: '0 4 * * 1', kind: 'colophon.re-redact' }
    const schedules = await race(tenants, 6, (tenant, n) => saveSchedule(tenant, { id: `new${n}`, ...weekly }, {}))
    assert.deepEqual(schedules, { stored: 2, codes: ['validation_error'] })
    await saveSchedule(first, { id: 's7', ...weekly }, {})

    const refs = limits.commitmentsPerTenantMax / limits.commitmentsPerRefMax
    await fill(first, limits.commitmentsPerTenantMax - 2, (n) => ({
      memoryRef: refOfCommitments(`r${n % refs}`),
      tags: [waitingTag],
    }))
    const due = { intention: 'call Ana', at: new Date(Date.now() + 86_400_000).toISOString() }
    const commitments = await race(tenants, 6, (tenant, n) =>
      createCommitment(tenant, { memoryRef: `fresh${n}`, ...due }, {}),
    )
    assert.deepEqual(commitments, { stored: 2, codes: ['validation_error'] })
  } finally {
    for (const { close } of engines) await close()
    await database.drop()
  }
})

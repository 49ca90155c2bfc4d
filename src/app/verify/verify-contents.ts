import { ChainChecker, type ChainFault, checkTail, genesisHash, parseAuditBody } from '../../core/audit/audit.ts'
import { compareRefs, compareTenant } from '../../core/audit/verify/compare-rows.ts'
import { ExpectedState } from '../../core/audit/verify/expected-state.ts'
import type { AuditVerdict, ContentsVerdict } from '../../core/audit/verify/verdict.ts'
import type { AuditRow, Batch, Clock } from '../../core/commit/batch.ts'
import { limits } from '../../core/limits.ts'
import type { StorageSnapshot } from '../../ports/database-snapshot.ts'
import { createTimeSlice } from '../event-loop.ts'
import type { Tenant } from '../tenant.ts'
import { cachedMac } from '../tenant-context.ts'
import { compareStored } from './compare-stored.ts'
import { Findings } from './findings.ts'
import { StoredTags } from './stored-tags.ts'
import { streamRows } from './stream-rows.ts'

/**
 * Verifies the whole chain, rebuilds the expected state from it, and compares that with the stored rows in both directions. Everything
 * is read from one database snapshot. At most `heldMax` rows are held in memory: a larger tenant is verified in several rounds, one
 * shard each.
 */
export async function verifyContents(
  tenant: Tenant,
  heldMax: number = limits.verifyRowsHeldMax,
): Promise<AuditVerdict> {
  const snapshot = await tenant.storage.snapshot(tenant.id)
  try {
    const clock = await snapshot.clock(tenant.id)
    const to = clock?.position ?? 0
    const stored = await snapshot.tenant(tenant.id)
    const mac = stored !== null ? await macOf(tenant) : () => ''
    const findings = new Findings()
    for (const { problem, what, name } of (await snapshot.schemaDifferences?.()) ?? [])
      findings.add({ position: 0, problem, what, ...(isPlainName.test(name) ? { id: name } : {}) })
    const round = new Round(tenant.id, snapshot, mac, findings)
    const { checker, fault } = await round.readChain(clock, heldMax)
    const verdict = { from: 1, to, checked: checker.checked }
    if (fault !== null) return { ok: false, ...verdict, fault, lastHash: checker.lastHash }
    if (clock !== null) {
      if (stored === null) findings.addNotStored(0, 'tenant', { id: tenant.id })
      for (const { what, member } of compareTenant(clock, stored, round.state))
        findings.add({ position: to, problem: 'changed', what, member })
    }
    const tags = new StoredTags(snapshot.rows, tenant.id, tenant.system.newSalt(), round.yieldToEventLoop)
    const coveredFrom = round.state.coveredFrom ?? to + 1
    for (let index = 0; index < round.state.shard.of; index++) {
      if (index > 0) await round.readAgain(index)
      await compareStored({
        rows: snapshot.rows,
        tenantId: tenant.id,
        mac,
        state: round.state,
        findings,
        tags,
        yieldToEventLoop: round.yieldToEventLoop,
      })
    }
    await tags.compare(findings, round.state.shard.of)
    const { rows, found, anomalies } = findings
    const head = { tenant: tenant.id, position: to, hash: checker.lastHash }
    const contents: ContentsVerdict = { rows, coveredFrom, head, found, anomalies }
    const [first] = anomalies
    const lastHash = checker.lastHash
    return { ok: first === undefined, ...verdict, ...(first ? { fault: first, lastHash } : {}), contents }
  } finally {
    await snapshot.close()
  }
}

/** Who added an object may have named it with any text. */
const isPlainName = /^[\w.]{1,128}$/

/** Not from the tenant's context: that needs the vault, and verification must work when the vault cannot be opened. */
async function macOf(tenant: Tenant): Promise<Batch['mac']> {
  const { storage, id, system } = tenant
  const { macKey } = await storage.ensureTenant(id, { macKey: system.newKey() }, tenant.now())
  return cachedMac(macKey)
}

/** One pass over the audit records, which builds the expected state of one shard. */
class Round {
  readonly yieldToEventLoop = createTimeSlice()
  readonly #tenantId: string
  readonly #snapshot: StorageSnapshot
  readonly #mac: Batch['mac']
  readonly #findings: Findings
  state = new ExpectedState({ index: 0, of: 1 })

  constructor(tenantId: string, snapshot: StorageSnapshot, mac: Batch['mac'], findings: Findings) {
    this.#tenantId = tenantId
    this.#snapshot = snapshot
    this.#mac = mac
    this.#findings = findings
  }

  async readChain(
    clock: Clock | null,
    heldMax: number,
  ): Promise<{ readonly checker: ChainChecker; readonly fault: ChainFault | null }> {
    const checker = new ChainChecker(this.#tenantId, 1, genesisHash)
    const end = clock?.position ?? 0
    const refs = new RefsCheck(this.#mac)
    const at = (fault: ChainFault | null) => ({ checker, fault })
    for await (const { key, row } of streamRows(this.#snapshot.rows, 'audit', this.#tenantId, this.yieldToEventLoop)) {
      if (Number(key[0]) > end) return at({ position: Number(key[0]), problem: 'tail' })
      if (row === null) return at({ position: Number(key[0]), problem: 'edited' })
      const fault = checker.check(row)
      if (fault) return at(fault)
      refs.add(row)
      this.state.add(row)
      while (this.state.size > heldMax) for (const _ of this.state.halve()) await this.yieldToEventLoop()
    }
    if (checker.checked < end) return at({ position: checker.checked + 1, problem: 'missing' })
    const tail = clock === null || end === 0 ? null : checkTail(clock, checker.checked, checker.lastHash)
    if (tail !== null) return at(tail)
    refs.report(this.state, this.#findings)
    return at(null)
  }

  /** Reads the verified chain again for the expected state of another shard. */
  async readAgain(index: number): Promise<void> {
    this.state = new ExpectedState({ index, of: this.state.shard.of })
    for await (const { row } of streamRows(this.#snapshot.rows, 'audit', this.#tenantId, this.yieldToEventLoop))
      if (row !== null) this.state.add(row)
  }
}

/** Checks the clear refs beside the records. The hash chain does not cover them, but it has their digests. */
class RefsCheck {
  readonly #mac: Batch['mac']
  readonly #changed: number[] = []
  readonly #erased: number[] = []

  constructor(mac: Batch['mac']) {
    this.#mac = mac
  }

  add(row: AuditRow): void {
    const found = compareRefs(this.#mac, row.refs, parseAuditBody(row))
    if (found === 'changed') this.#changed.push(row.position)
    if (found === 'erased') this.#erased.push(row.position)
  }

  report({ refsErased, coveredFrom }: ExpectedState, findings: Findings): void {
    const report = (position: number) => findings.add({ position, problem: 'changed', what: 'record', member: 'refs' })
    for (const position of this.#changed) report(position)
    // Records of form 1 do not say where a forget erased refs.
    for (const position of this.#erased)
      if (!refsErased.has(position) && position >= (coveredFrom ?? Infinity)) report(position)
  }
}

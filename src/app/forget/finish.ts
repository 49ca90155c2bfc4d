import { toInstant } from '../../core/check.ts'
import { ColophonError } from '../../core/errors.ts'
import { keyIdOf, nothingMatched, type Receipt, type ReceiptBody, receiptBytes } from '../../core/forget/receipt.ts'
import { limits } from '../../core/limits.ts'
import type { Leftovers, PhysicalState } from '../../ports/forget-store.ts'
import type { Work } from './work.ts'

/**
 * Looks at the tables themselves, not at what was counted. What came in through a gap (a write that was under way) is
 * gone after; then the fence, which holds the names, is taken down.
 */
export async function checkErased(work: Work): Promise<void> {
  const { tenant, facts, id } = work
  let left = await tenant.storage.forget.leftovers(tenant.id, work.fences)
  // What is left may hang on nothing: then no round would find it, and nobody could forget any more.
  if (!isClean(left) && (await removeStrays(work))) left = await tenant.storage.forget.leftovers(tenant.id, work.fences)
  if (!isClean(left)) {
    const rounds = (facts?.rounds ?? 0) + 1
    if (rounds > limits.forgetRoundsMax)
      throw new ColophonError('forget_incomplete', 'Something that is to be forgotten is still there.', {
        details: { ...left },
      })
    work.seen.clear()
    await work.note({ phase: 'runs', rounds })
    return
  }
  const fencedPosition = Math.min(...work.fences.map(({ position }) => position))
  const clock = await tenant.storage.clock(tenant.id)
  await work.note(
    { phase: 'files', left: { ...left }, fencedPosition, erasedPosition: clock?.position ?? 0 },
    { forgetting: { fences: [{ forgetId: id, added: [], isRemoved: true }] } },
  )
}

function isClean(left: Leftovers): boolean {
  return hasNone(left)
}

function hasNone(counts: Readonly<Record<string, number>>): boolean {
  return Object.values(counts).every((count) => count === 0)
}

async function removeStrays(work: Work): Promise<boolean> {
  for (let hasRemoved = false; ; hasRemoved = true) {
    await work.nextPage()
    const removed = await work.tenant.storage.forget.removeStrays(work.tenant.id, limits.forgetScanRowsMax)
    if (removed === 0) return hasRemoved
  }
}

export async function purgeFiles({ tenant }: Work): Promise<PhysicalState> {
  return tenant.storage.forget.purge()
}

/** The receipt, signed, with the end of the audit chain as it is now. */
export async function finish(work: Work, physical: PhysicalState): Promise<void> {
  const { tenant, facts, id } = work
  if (facts === null) return
  const clock = await tenant.storage.clock(tenant.id)
  const body: ReceiptBody = {
    v: 1,
    id,
    host: tenant.host.signer?.host ?? 'colophon',
    tenant: tenant.id,
    selector: facts.selector,
    cascade: facts.cascade,
    ...(facts.matched === undefined ? {} : { matched: facts.matched }),
    ...(facts.mentions === undefined ? {} : { mentions: facts.mentions }),
    ...(facts.matched === 0 && hasNone(facts.counts) ? { note: nothingMatched } : {}),
    requestedAt: toInstant(facts.requestedAt),
    completedAt: toInstant(tenant.now()),
    positions: { fenced: facts.fencedPosition ?? 0, erased: facts.erasedPosition ?? 0 },
    erased: facts.counts,
    left: facts.left ?? {},
    physical,
    audit: { position: clock?.position ?? 0, hash: clock?.lastHash ?? '' },
  }
  await work.note({ phase: 'done', receipt: sign(work, body) })
}

function sign({ tenant }: Work, body: ReceiptBody): Receipt {
  if (tenant.host.signer === null)
    throw new ColophonError('signing_key_missing', 'This process has no key to sign a receipt with.')
  const { publicKey, sign: signBytes } = tenant.host.signer
  const value = Buffer.from(signBytes(receiptBytes(body))).toString('base64')
  return { ...body, signature: { algorithm: 'Ed25519', keyId: keyIdOf(publicKey), value } }
}

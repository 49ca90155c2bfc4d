import { toInstant } from '../../core/check.ts'
import { ColophonError } from '../../core/errors.ts'
import { publicKeyId } from '../../core/forget/receipt.ts'
import { nothingMatched, type Receipt, type ReceiptBody, receiptBytes } from '../../core/forget/receipt-body.ts'
import { limits } from '../../core/limits.ts'
import type { PhysicalState } from '../../ports/forget-store.ts'
import type { Engine, Signer } from '../engine.ts'
import { countNames } from './erase-names.ts'
import type { ForgetProcess } from './forget-process.ts'

/**
 * Queries the tables for leftover rows, independent of the counts. If rows are left, as from a concurrent write, the phases run again.
 * Otherwise the fence, which contains the forgotten names, is deleted.
 */
export async function checkErased(erasure: ForgetProcess): Promise<void> {
  const { tenant, facts, id } = erasure
  const leftovers = async () => {
    const rows = await erasure.untilStopped(tenant.storage.forget.leftovers(tenant.id, erasure.fences))
    return { ...rows, ...(await countNames(erasure)) }
  }
  let left = await leftovers()
  // Leftover rows may be orphans. No further round would find those, and the forget would never complete.
  if (!hasNone(left) && (await removeOrphans(erasure))) left = await leftovers()
  if (!hasNone(left)) {
    const rounds = (facts?.rounds ?? 0) + 1
    if (rounds > limits.forgetRoundsMax)
      throw new ColophonError('forget_incomplete', 'Rows that must be erased are still stored.', {
        details: { ...left },
      })
    erasure.seen.clear()
    await erasure.note({ phase: 'runs', rounds })
    return
  }
  const fencedPosition = Math.min(...erasure.fences.map(({ position }) => position))
  const clock = await tenant.storage.clock(tenant.id)
  await erasure.note(
    { phase: 'files', left: { ...left }, fencedPosition, erasedPosition: clock?.position ?? 0 },
    { forgetting: { fences: [{ forgetId: id, added: [], isRemoved: true }] } },
  )
}

function hasNone(counts: Readonly<Record<string, number>>): boolean {
  return Object.values(counts).every((count) => count === 0)
}

async function removeOrphans(erasure: ForgetProcess): Promise<boolean> {
  for (let hasRemoved = false; ; hasRemoved = true) {
    await erasure.nextPage()
    const { id, storage } = erasure.tenant
    const removed = await erasure.untilStopped(storage.forget.removeOrphans(id, limits.forgetScanRowsMax))
    if (removed === 0) return hasRemoved
  }
}

/** Makes the database overwrite or release the deleted pages on disk. */
export async function purgeFiles({ tenant }: ForgetProcess): Promise<PhysicalState> {
  return tenant.storage.forget.purge()
}

/** Stores the signed receipt, with the current head of the audit chain. */
export async function storeReceipt(erasure: ForgetProcess, physical: PhysicalState): Promise<void> {
  const { tenant, facts, id } = erasure
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
  await erasure.note({ phase: 'done', receipt: sign(erasure, body) })
  tenant.engine.quotas.noteRewrite(tenant.id)
}

function sign({ tenant }: ForgetProcess, body: ReceiptBody): Receipt {
  const { publicKey, sign: signBytes } = requireSigner(tenant.engine)
  const value = Buffer.from(signBytes(receiptBytes(body))).toString('base64')
  return { ...body, signature: { algorithm: 'Ed25519', keyId: publicKeyId(publicKey), value } }
}

/** The public key of receipts, exports and checkpoints, and its id. */
export function readSigningKey(engine: Engine): { readonly keyId: string; readonly publicKey: string } {
  const { publicKey } = requireSigner(engine)
  return { keyId: publicKeyId(publicKey), publicKey }
}

/** The signer of this process. */
export function requireSigner({ host: { signer } }: Engine): Signer {
  if (signer === null) throw new ColophonError('signing_key_missing', 'This process has no signing key.')
  return signer
}

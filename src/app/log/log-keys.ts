import type { AdminRecord } from '../../core/admin.ts'
import { hmacKey, hmacSha256 } from '../../core/audit/digest.ts'
import { toInstant } from '../../core/check.ts'
import { publicKeyId } from '../../core/forget/receipt.ts'
import { limits } from '../../core/limits.ts'
import { formatVerifierKey, type NoteKey, rawPublicKey } from '../../core/log/note.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Signer } from '../engine.ts'
import { requireSigner } from '../forget/finish-forget.ts'
import type { Tenant } from '../tenant.ts'

/** A key that signed checkpoints of this log. */
export type LogKey = {
  readonly keyId: string
  /** The form in which witnesses keep it: origin, id and key. */
  readonly verifierKey: string
  /** SPKI, base64. */
  readonly publicKey: string
  /** When it was first used for this log. */
  readonly since: string
  /** Whether this process signs with it. */
  readonly isCurrent: boolean
}

/**
 * The name of a tenant's log, from the tenant's own key: it stays the same in a backup and in a copy of the database, so that two
 * histories of one log have one name. It reveals neither the tenant nor the host.
 */
export async function logOrigin(tenant: Tenant): Promise<string> {
  const fresh = { macKey: tenant.system.newKey() }
  const { macKey } = await tenant.storage.ensureTenant(tenant.id, fresh, tenant.now())
  return `colophon/${hmacSha256(hmacKey(macKey), 'colophon log origin').slice(0, originCharacters)}`
}

const originCharacters = 22

/** The key and the signer of checkpoints. A key that is used for the first time gets a record, which has a position in the log itself. */
export async function currentLogKey(tenant: Tenant): Promise<{ readonly key: NoteKey; readonly signer: Signer }> {
  const signer = requireSigner(tenant.engine)
  await noteFirstUse(tenant, signer.publicKey)
  return { key: toNoteKey(await logOrigin(tenant), signer.publicKey), signer }
}

async function noteFirstUse(tenant: Tenant, publicKey: string): Promise<void> {
  const id = publicKeyId(publicKey)
  await decideAndCommit(async () => {
    if ((await tenant.storage.record(tenant.id, 'log-key', id)) !== null) return
    const body = { text: {}, sealed: { publicKey } }
    const change = { kind: 'admin.log-key.created', admin: [{ kind: 'log-key', id, body, expects: 0 }] } as const
    await tenant.commit(change, { call: { operation: 'log-key', id } })
  })
}

function toNoteKey(origin: string, publicKey: string): NoteKey {
  return { kind: 'log', name: origin, key: rawPublicKey(publicKey) }
}

/** Every key that signed checkpoints of this log, oldest first. */
export async function listLogKeys(
  tenant: Tenant,
): Promise<{ readonly origin: string; readonly keys: readonly LogKey[] }> {
  const { signer } = await currentLogKey(tenant)
  const origin = await logOrigin(tenant)
  const records = await readKeyRecords(tenant)
  const keys = records.map(({ id, body, updatedAt }) => {
    const publicKey = body.sealed.publicKey ?? ''
    const verifierKey = formatVerifierKey(toNoteKey(origin, publicKey))
    const isCurrent = publicKey === signer.publicKey
    return { keyId: id, verifierKey, publicKey, since: toInstant(updatedAt), isCurrent }
  })
  return { origin, keys }
}

/** The keys whose signature on a checkpoint of this log counts. */
export async function knownLogKeys(tenant: Tenant, origin: string): Promise<readonly NoteKey[]> {
  const records = await readKeyRecords(tenant)
  return records.map(({ body }) => toNoteKey(origin, body.sealed.publicKey ?? ''))
}

async function readKeyRecords(tenant: Tenant): Promise<readonly AdminRecord[]> {
  const limit = limits.logKeysMax
  const records = await tenant.storage.records({ tenantId: tenant.id, kind: 'log-key', after: null, limit })
  return [...records].sort((a, b) => a.updatedAt - b.updatedAt)
}

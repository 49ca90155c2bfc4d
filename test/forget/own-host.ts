import { generateKeyPairSync, sign } from 'node:crypto'
import { nodeSystem } from '../../src/adapters/system/node.ts'
import type { Deps } from '../../src/app/deps.ts'
import { findForget } from '../../src/app/forget/record.ts'
import { startForget } from '../../src/app/forget/request.ts'
import type { SelectorKind } from '../../src/core/forget/selector.ts'
import { builtInHandlers } from '../../src/jobs/built-in.ts'
import { Worker } from '../../src/jobs/worker.ts'
import { composeDeps, type HostParts } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { eventually } from '../support/child.ts'

/** A host inside the test itself, that can sign receipts. */

export const tenantId = 'acme'
const key = generateKeyPairSync('ed25519')
const signer = {
  host: 'test',
  publicKey: key.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  sign: (bytes: Uint8Array) => sign(null, bytes, key.privateKey),
}

export function openHost(storage: Storage, parts: HostParts = {}) {
  const { deps, close, workers } = composeDeps(storage, nodeSystem(), 'test', null, { signer, ...parts })
  /** Jobs run only when the test says so, and only those it names. */
  const work = (kinds: (kind: string) => boolean) => {
    const handlers = Object.fromEntries(Object.entries(builtInHandlers(deps)).filter(([kind]) => kinds(kind)))
    const worker = new Worker(deps, { handlers, pollMs: 5 }, () => workers.delete(worker)).start()
    workers.add(worker)
  }
  return { deps, close, work }
}

export const isForget = (kind: string) => kind === 'colophon.forget'

export async function forgetAll(deps: Deps, kind: SelectorKind, value: string) {
  const request = { selector: { kind, value }, reason: 'on request', cascade: true }
  const { id } = await startForget(deps, tenantId, request)
  await eventually('it is done', async () => (await findForget(deps, tenantId, id))?.facts.receipt != null, 20_000)
  return (await findForget(deps, tenantId, id))?.facts
}

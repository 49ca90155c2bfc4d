import { generateKeyPairSync, sign } from 'node:crypto'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import type { Engine, Host } from '../../src/app/engine.ts'
import { findForget } from '../../src/app/forget/forget-record.ts'
import { startForget } from '../../src/app/forget/start-forget.ts'
import type { ForgetSelectorKind } from '../../src/core/forget/selector.ts'
import { builtInHandlers } from '../../src/jobs/built-in.ts'
import { Worker } from '../../src/jobs/worker.ts'
import { composeEngine } from '../../src/open.ts'
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

export function openHost(storage: Storage, parts: Partial<Host> = {}) {
  const { engine, close, workers } = composeEngine(storage, nodeSystem(), 'test', null, { signer, ...parts })
  /** Jobs run only when the test says so, and only those it names. */
  const work = (kinds: (kind: string) => boolean) => {
    const handlers = Object.fromEntries(Object.entries(builtInHandlers(engine)).filter(([kind]) => kinds(kind)))
    const worker = new Worker(engine, { handlers, pollMs: 5 }, () => workers.delete(worker)).start()
    workers.add(worker)
  }
  return { engine, close, work }
}

export const isForget = (kind: string) => kind === 'colophon.forget'

export async function forgetAll(engine: Engine, kind: ForgetSelectorKind, value: string) {
  const request = { selector: { kind, value }, reason: 'on request', cascade: true }
  const { id } = await startForget(engine.tenant(tenantId), request)
  await eventually(
    'it is done',
    async () => (await findForget(engine.tenant(tenantId), id))?.facts.receipt != null,
    20_000,
  )
  return (await findForget(engine.tenant(tenantId), id))?.facts
}

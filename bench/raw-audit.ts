import { createHmac, hash } from 'node:crypto'
import { actor, memoryRef, type RawEntry } from './entries.ts'

const refs = JSON.stringify([memoryRef])

/** Every entry comes from the API, without an expiry and without a subject. */
const origin = { kind: 'api' }

/** The audit of the raw side, written by hand: keys in their canonical order, so plain JSON is the canonical form. */
export type RawAudit = { readonly body: string; readonly hash: string; readonly refs: string }

export type RawScope = { readonly tenantId: string; readonly ref: string }

/** Keyed digests of the few refs are computed ahead, as ours are cached. */
export function scopeOf(tenantId: string, macKey: Uint8Array): RawScope {
  return { tenantId, ref: createHmac('sha256', macKey).update(memoryRef).digest('base64url').slice(0, 22) }
}

export function auditPut(
  scope: RawScope,
  entries: readonly RawEntry[],
  position: number,
  at: number,
  prev: string,
): RawAudit {
  const body = JSON.stringify({
    actor,
    kind: 'memory.written',
    v: 2,
    written: entries.map(({ id, salt, content, tags }, ordinal) => ({
      digest: hash(
        'sha256',
        salt + JSON.stringify([content, tags, null, null, origin, null, memoryRef, at, position, ordinal, position]),
        'base64url',
      ),
      id,
      ref: scope.ref,
      version: 1,
    })),
  })
  return { body, hash: hash('sha256', recordOf(scope, body, position, at, prev), 'hex'), refs }
}

export function auditDelete(scope: RawScope, id: string, position: number, at: number, prev: string): RawAudit {
  const body = JSON.stringify({
    actor,
    ended: [{ id, reason: 'deleted', ref: scope.ref, version: 1 }],
    kind: 'memory.deleted',
    v: 2,
  })
  return { body, hash: hash('sha256', recordOf(scope, body, position, at, prev), 'hex'), refs }
}

function recordOf({ tenantId }: RawScope, body: string, position: number, at: number, prev: string): string {
  return `{"at":"${new Date(at).toISOString()}","body":${body},"position":${position},"prev":"${prev}","tenant":"${tenantId}","v":1}`
}
